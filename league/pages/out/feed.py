"""The last games of a league as an Atom feed (RFC 4287)."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from league.addresses import absolute, plain
from league.desk.viewer import viewer_of
from league.figures import exact
from league.moments import known_zone, weekday_of
from league.pages.out.kept import while_books_stand
from league.pages.titles import kind_of
from league.pages.views import page
from league.selectors.front import Finished, last_games
from league.selectors.permissions import find_league
from league.selectors.rules import rules_of

#: Games of a feed.
GAMES = 30


class Feed(Atom1Feed):
    """A feed with the emblem of its league."""

    def add_root_elements(self, handler: Any) -> None:
        """Name the icon beside what every feed says."""
        super().add_root_elements(handler)
        handler.addQuickElement("icon", self.feed["icon"])


@while_books_stand
@page
def feed(request: HttpRequest, slug: str) -> HttpResponse:
    """Tell of the last games that count, the newest first."""
    league = find_league(slug, viewer_of(request))
    games = last_games(league, rules_of(league), GAMES)
    here = absolute(request, reverse("pages:league", args=[slug]))
    atom = Feed(
        title=plain(league.title),
        link=here,
        description="",
        subtitle=plain(league.description) or _("The games of {league}.").format(league=plain(league.title)),
        language=get_language(),
        feed_url=absolute(request, reverse("pages:feed", args=[slug])),
        feed_guid=here,
        author_name=plain(league.title),
        author_link=here,
        icon=absolute(request, reverse("pages:emblem", args=[slug])),
    )
    for one in games:
        address = absolute(request, reverse("pages:game", args=[slug, one.game.number]))
        day = one.game.played_at.astimezone(known_zone(league.time_zone))
        atom.add_item(
            title=kind_of(one.game, one.lines) or _("Game {number}").format(number=one.game.number),
            link=address,
            unique_id=address,
            description=escape(f"{weekday_of(day, always_year=True)}: {told(one)}"),
            pubdate=one.game.played_at,
            updateddate=one.game.recorded_at,
        )
    return HttpResponse(atom.writeString("utf-8"), content_type=atom.content_type)


def told(one: Finished) -> str:
    """Return who finished where, in a line."""
    return ", ".join(
        f"{line.result.player.name} {exact(line.result.score)}"
        if line.result.score is not None
        else f"{line.result.player.name}{f' {line.result.place}.' if line.result.place else ''}"
        for line in one.lines
    )
