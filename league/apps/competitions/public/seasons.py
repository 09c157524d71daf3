"""The public page of a season: divisions side by side with zones in words, the table of the series, the stages."""

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from league.apps.competitions.models import Season
from league.apps.competitions.selectors.result_texts import count_decimals, format_in_column
from league.apps.competitions.selectors.season_standings import (
    DivisionLine,
    DivisionTable,
    SeasonReader,
    StageTree,
)
from league.apps.competitions.selectors.seasons import find_season, list_seasons
from league.core.errors import NotFound
from league.models import League
from league.web.public.views.base import build_league_context, cached_page
from league.web.sign_in.sessions import viewer_of
from ratings.seasons.series import SeriesRow

ZONES: dict[str, Any] = {
    "champion": pgettext_lazy("zone of a division", "champion"),
    "up": pgettext_lazy("zone of a division", "rises"),
    "stays": pgettext_lazy("zone of a division", "stays"),
    "down": pgettext_lazy("zone of a division", "falls"),
}
#: The same while it can still change.
OPEN_ZONES: dict[str, Any] = {
    "champion": gettext_lazy("would be champion"),
    "up": gettext_lazy("would rise"),
    "stays": gettext_lazy("would stay"),
    "down": gettext_lazy("would fall"),
}


@dataclass(frozen=True)
class ShownLine:
    """A line of a division. ``possible``: the ranks that can still be reached, "" if there is one."""

    rank: int
    name: str
    address: str
    points: str
    played: int
    zone: str
    word: str
    certain: bool
    possible: str


@dataclass(frozen=True)
class ShownDivision:
    """A division with its lines."""

    title: str
    address: str
    status: str
    lines: list[ShownLine]


@dataclass(frozen=True)
class ShownScore:
    """A cell of the table of a series: "" if the player missed the event."""

    text: str = ""
    place: int = 0
    counted: bool = True


@dataclass(frozen=True)
class ShownRow:
    """A line of the table of a series. ``needs``: of those who can still win, else ""."""

    rank: int
    name: str
    address: str
    points: str
    scores: list[ShownScore]
    can_win: bool
    needs: str


@cached_page("page")
def show_season(request: HttpRequest, slug: str, season: str) -> HttpResponse:
    """Show a season."""
    league, _system, context = build_league_context(request, slug, "competitions")
    arbitrates = viewer_of(request).may("arbitrate", league)
    try:
        found = find_season(league, season, for_organisers=arbitrates)
    except NotFound as error:
        raise Http404(error.detail) from None
    reader = SeasonReader(found)
    rows, parts, people = reader.read_series()
    following = list_seasons(league, for_organisers=arbitrates).filter(previous=found).first()
    context |= {
        "season": found,
        "following": following,
        "divisions": [_show_division(league, table) for table in reader.read_divisions()],
        "events": [(number, part.competition) for number, part in sorted(parts.items())],
        "series": _show_series(league, rows, people, sorted(parts)),
        "rule": reader.rule,
        "stages": [_show_stage(league, tree) for tree in reader.read_stages()],
        "entries": [entry for entry in reader.entries if entry.status == "entered"] if not reader.parts else [],
        "edition": found.editions.order_by("-number").first() if found.status == Season.Status.CLOSED else None,
        "desk_address": reverse("desk:season", args=[league.slug, found.slug]) if arbitrates else "",
    }
    return render(request, "apps/competitions/public/season.html", context)


def _player_address(league: League, handle: str) -> str:
    return reverse("pages:player", args=[league.slug, handle])


def _show_division(league: League, table: DivisionTable) -> ShownDivision:
    competition = table.part.competition
    decimals = count_decimals(line.place.points for line in table.lines)
    return ShownDivision(
        _("Division {name}").format(name=table.name),
        reverse("pages:competition", args=[league.slug, competition.slug]),
        competition.status,
        [_show_line(league, line, decimals) for line in table.lines],
    )


def _show_line(league: League, line: DivisionLine, decimals: int) -> ShownLine:
    best, worst = line.possible.best, line.possible.worst
    words = ZONES if line.certain else OPEN_ZONES
    return ShownLine(
        line.place.rank,
        line.player.name,
        _player_address(league, line.player.handle),
        format_in_column(line.place.points, decimals),
        line.place.played,
        line.zone,
        str(words[line.zone]),
        line.certain,
        "" if best == worst else f"{best}–{worst}",
    )


def _show_series(league: League, rows: list[SeriesRow], people: Any, events: list[int]) -> list[ShownRow]:
    decimals = count_decimals(row.points for row in rows)
    shown = []
    for row in rows:
        scores = {one.event: one for one in row.events}
        person = people[row.player]
        shown.append(
            ShownRow(
                row.rank,
                person.name,
                _player_address(league, person.handle),
                format_in_column(row.points, decimals),
                [
                    ShownScore(format_in_column(one.points, decimals), one.place, one.counted)
                    if (one := scores.get(event))
                    else ShownScore()
                    for event in events
                ],
                row.can_still_win,
                format_in_column(row.needs, decimals) if row.can_still_win and row.needs else "",
            )
        )
    return shown


def _show_stage(league: League, tree: StageTree) -> dict[str, Any]:
    return {
        "title": tree.rule.name or tree.rule.key.capitalize(),
        "competitions": [part.competition for part in tree.parts],
        "seats": [
            {
                "source": f"{chr(ord('A') + seat.source.group)}{seat.source.place}" if seat.source else "",
                "name": seat.player.name if seat.player else "",
                "address": _player_address(league, seat.player.handle) if seat.player else "",
            }
            for seat in tree.seats
        ],
    }
