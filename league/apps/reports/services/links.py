"""Links by which players report games: made by who records in the league, shown once, revoked."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.apps.reports.models import ReportLink
from league.apps.reports.selectors.reports import (
    UNKNOWN,
    find_link,
    links_in_force,
    own_links,
    people_of,
    player_of,
    why_ended,
)
from league.apps.reports.services import random_names
from league.core.accounts.services.secret_links import SecretLinks
from league.core.accounts.services.tokens import digest_of
from league.core.errors import Conflict, Invalid, NotFound, Problem, Refused
from league.core.locking import locked, with_league_lock
from league.core.log.services import entries
from league.core.text.names import storable
from league.core.text.wording import with_thousands_separator
from league.models import League, LogEntry, Player

NAME_LENGTH = 80
MAX_LINKS = settings.RUNGS_LIMITS["report_links"]
#: Maximum lifetime of a link with an end date.
MAX_LIFETIME = timedelta(days=3660)


LINKS = SecretLinks("league.report_link", find_link, why_ended, UNKNOWN)


class LinkRequest(NamedTuple):
    """A link that is to be made: of a player, or of a table by its name."""

    secret: str
    player: Player | None = None
    name: str = ""


def make_link(
    league_id: int,
    secret: str,
    *,
    by: str,
    player: Player | None = None,
    name: str = "",
    good_for: timedelta | None = None,
) -> ReportLink:
    """Let whoever has ``secret`` report games: as a player, or (by ``name``) from a table.

    A player has one link: a new one revokes the one before. Raises Invalid (a name that cannot be one), Refused
    (players do not report here, the player is not active here, too many links) or Conflict (a table has a link).
    """
    name = " ".join(name.split())
    if player is None and not name:
        raise Invalid.of([Problem("/name", "missing", _("Enter a name for the table, e.g. Table 1."))])
    if len(name) > NAME_LENGTH or not storable(name) or (player is not None and name):
        sentence = _("The name of a table can have at most {limit} characters.").format(limit=NAME_LENGTH)
        raise Invalid.of([Problem("/name", "invalid", sentence)])
    check_good_for(good_for)

    def work(league: League, now: datetime) -> ReportLink:
        refuse_league(league, now)
        if LINKS.look_up(secret) is not None:
            raise Conflict(_("This form has already created a link. Reload the page to create another one."))
        clear_way(league, player, name, now, by)
        return create_links(league, [LinkRequest(secret, player, name)], now, by, good_for)[0]

    return with_league_lock(league_id, work)


def make_player_links(
    league_id: int,
    secret_of: Callable[[Player], str],
    *,
    by: str,
    replace: bool,
    good_for: timedelta | None = None,
) -> list[ReportLink]:
    """Make a link for each active player of a league, all or none; returns them by the players' names.

    Players who have a link keep it and get no other, or with ``replace`` another one instead. Raises Invalid
    (``good_for``) or Refused (players do not report here, too many links, no player to make one for).
    """
    check_good_for(good_for)

    def work(league: League, now: datetime) -> list[ReportLink]:
        present = own_links(league, now)
        players = [player for player in people_of(league) if replace or player.pk not in present]
        if not players:
            raise Refused(_("All active players of {league} have a link.").format(league=league.title))
        ended = [link for player in players for link in present.get(player.pk, ())]
        refuse_league(league, now, len(players) - len(ended))
        revoke(league, ended, now, by)
        return create_links(league, [LinkRequest(secret_of(player), player) for player in players], now, by, good_for)

    return with_league_lock(league_id, work)


def create_links(
    league: League, wanted: Iterable[LinkRequest], now: datetime, by: str, good_for: timedelta | None
) -> list[ReportLink]:
    """Write links and their entries of the log; the league must be locked."""
    links = ReportLink.objects.bulk_create(
        ReportLink(
            pk=random_names.name(),
            league=league,
            player=one.player,
            name=one.name,
            digest=digest_of(one.secret),
            salt=random_names.salt(),
            made_at=now,
            made_by=by,
            expires_at=None if good_for is None else now + good_for,
        )
        for one in wanted
    )
    entries.append_many(league, now, by, LogEntry.Kind.LINK_MADE, map(entries.of_link, links))
    league.save(update_fields=entries.HEAD)
    return links


def check_good_for(good_for: timedelta | None) -> None:
    """Raise Invalid if a link cannot be good for so long."""
    if good_for is not None and not timedelta(0) < good_for <= MAX_LIFETIME:
        sentence = _("A link can be valid for an hour to ten years, or without limit.")
        raise Invalid.of([Problem("/good_for", "out_of_bounds", sentence)])


def refuse_league(league: League, now: datetime, more: int = 1) -> None:
    """Raise Refused if no link, or not so many more, can be made in a league."""
    if league.reporting == League.Reporting.OFF:
        sentence = _("Players cannot report games in {league}. An owner can allow it in the settings.")
        raise Refused(sentence.format(league=league.title))
    count = links_in_force(league, now).count()
    if count + more > MAX_LINKS and more > 1:
        sentence = ngettext(
            "This sheet needs {more} new links. {league} already has {count} valid link, and "
            "{limit} are allowed. Revoke unused links, mark players who have left as inactive, "
            "or create a link for each table instead.",
            "This sheet needs {more} new links. {league} already has {count} valid links, and "
            "{limit} are allowed. Revoke unused links, mark players who have left as inactive, "
            "or create a link for each table instead.",
            count,
        )
        figures = {
            "more": with_thousands_separator(more),
            "count": with_thousands_separator(count),
            "limit": with_thousands_separator(MAX_LINKS),
        }
        raise Refused(sentence.format(league=league.title, **figures))
    if count + more > MAX_LINKS:
        sentence = _("{league} already has {count} valid links, and {limit} are allowed; revoke some first.")
        raise Refused(
            sentence.format(
                count=with_thousands_separator(count), limit=with_thousands_separator(MAX_LINKS), league=league.title
            )
        )


def clear_way(league: League, player: Player | None, name: str, now: datetime, by: str) -> None:
    """Revoke the link that a player had; raise where who or what the link is for can have none."""
    if player is None:
        if links_in_force(league, now).filter(player=None, name=name).exists():
            sentence = _("{name} already has a link; revoke it first.").format(name=name)
            raise Conflict.of([Problem("/name", "taken", sentence)])
        return
    if not people_of(league).filter(pk=player.pk).exists():
        sentence = _("{player} is not an active player of {league}; players can have a link after their first game.")
        said = sentence.format(player=player.name, league=league.title)
        raise Refused.of([Problem("/player", "not_here", said)])
    revoke(league, own_links(league, now).get(player.pk, ()), now, by)


@locked
def revoke_link(league: League, now: datetime, pk: Any, *, by: str) -> ReportLink:
    """End a link that is in force; what was reported by it stays. Raises NotFound."""
    link = ReportLink.objects.filter(league=league, pk=pk, revoked_at=None).select_related("player").first()
    if link is None:
        raise NotFound(_("This link is no longer valid."))
    revoke(league, [link], now, by)
    return link


def revoke(league: League, links: Sequence[ReportLink], now: datetime, by: str) -> None:
    """Write that links are good no longer; the league must be locked."""
    if not links:
        return
    ReportLink.objects.filter(pk__in=[link.pk for link in links]).update(revoked_at=now, revoked_by=by)
    entries.append_many(league, now, by, LogEntry.Kind.LINK_REVOKED, map(entries.of_revocation, links))
    league.save(update_fields=entries.HEAD)


def speaker(league: League, link: ReportLink, who: str) -> Player:
    """Return who speaks by a link: its player; at a table, who they say they are. Raises Refused."""
    player = player_of(link)
    if player is None:
        player = people_of(league).filter(handle=who).first() if storable(who) else None
    if player is None:
        raise Refused.of([Problem("/who", "unknown_player", _("Choose your name."))])
    return player
