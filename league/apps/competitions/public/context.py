"""The context that the pages of a competition share."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import pgettext

from league.apps.competitions.models import Competition, FinalStandings
from league.apps.competitions.public.brackets import list_round_titles
from league.apps.competitions.public.lines import (
    FixtureLine,
    ShownEntry,
    build_entry_lines,
    build_fixture_lines,
    is_published,
)
from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition, load_competition
from league.apps.competitions.selectors.competitions import BRACKET_FORMATS, build_format, find_competition
from league.apps.competitions.selectors.game_points import list_colours_of
from league.core.capabilities import load_declared
from league.core.game_words import SideName
from league.web.public.views.base import build_league_context
from league.web.sign_in.sessions import viewer_of

#: The most entries of a cross table; of more, every meeting is in the table by rounds.
MAX_CROSS_TABLE = 24


class Clock(NamedTuple):
    """The time zone of a competition, for the tags that format times."""

    time_zone: str


@dataclass(frozen=True)
class RoundStepper:
    """The published rounds with the one that is shown, for keys to the one before and after."""

    rounds: list[int]
    shown: int | None

    @property
    def before(self) -> int | None:
        """The round before, None before the first."""
        return max((one for one in self.rounds if self.shown and one < self.shown), default=None)

    @property
    def after(self) -> int | None:
        """The next published round, None after the last."""
        return min((one for one in self.rounds if self.shown and one > self.shown), default=None)


@dataclass(frozen=True)
class CompetitionPage:
    """A competition as its pages show it."""

    loaded: LoadedCompetition

    @property
    def competition(self) -> Competition:
        """The competition."""
        return self.loaded.competition

    @cached_property
    def entries(self) -> dict[int, ShownEntry]:
        """Number -> line of each entry."""
        return build_entry_lines(self.loaded)

    @cached_property
    def fixtures(self) -> list[FixtureLine]:
        """All published fixtures."""
        return self.build_lines(self.loaded.fixtures)

    @property
    def rounds(self) -> list[int]:
        """The numbers of the published rounds."""
        return [one_round.number for one_round in self.loaded.published_rounds]

    @cached_property
    def round_titles(self) -> dict[int, str]:
        """Number -> title of the rounds of a bracket: Semi-finals; empty for other formats."""
        return list_round_titles(self.loaded)

    @cached_property
    def current_round(self) -> int | None:
        """The first published round with a missing result, else the last published one."""
        published = self.rounds
        waiting = [one.round for one in self.loaded.fixtures if one.status == "planned" and one.round in published]
        return min(waiting) if waiting else max(self.rounds, default=None)

    def list_round(self, number: int) -> list[FixtureState]:
        """Return the fixtures of a round without cancelled ones."""
        return [one for one in self.loaded.list_fixtures(number) if is_published(self.loaded, one)]

    def build_lines(self, fixtures: Iterable[FixtureState]) -> list[FixtureLine]:
        """Return fixtures as lines."""
        return build_fixture_lines(self.loaded, self.entries, fixtures)

    def list_fixtures_of(self, entries: Collection[int]) -> list[FixtureLine]:
        """Return the fixtures of some entries."""
        return self.build_lines(one for one in self.loaded.fixtures if any(entry in entries for entry in one.entries))

    @property
    def colours(self) -> tuple[SideName, ...]:
        """What the sides of a game are called if the first seat has White; else empty."""
        return list_colours_of(self.competition)

    def find_edition(self) -> FinalStandings | None:
        """Return the last edition of the final standings."""
        return self.competition.editions.defer("document").order_by("-number").first()

    @property
    def has_fixtures(self) -> bool:
        """Whether a fixture is published."""
        return any(is_published(self.loaded, one) for one in self.loaded.fixtures)

    @property
    def is_played(self) -> bool:
        """Whether anything has a result that is no bye."""
        return any(one.status in ("played", "forfeited") for one in self.loaded.fixtures)

    @property
    def has_cross_table(self) -> bool:
        """Whether there is a cross table: games of two, few entries, and not a bracket, in which most never meet."""
        if len(self.entries) > MAX_CROSS_TABLE or self.competition.format in BRACKET_FORMATS:
            return False
        shown = [one for one in self.loaded.fixtures if is_published(self.loaded, one)]
        return bool(shown) and all(len(one.entries) <= 2 for one in shown)

    @property
    def is_sparse(self) -> bool:
        """Whether most entries never meet, so that the rounds say more than a cross table."""
        return self.competition.format == "swiss"

    @property
    def cross_table_title(self) -> str:
        """The title of the page of all meetings."""
        cross, by_round = (
            pgettext("page of a competition", "Cross table"),
            pgettext("page of a competition", "By round"),
        )
        return cross if self.has_cross_table else by_round


def count_results(fixtures: Iterable[FixtureState]) -> dict[str, int]:
    """Return the number of games, and of those with a result."""
    statuses = [one.status for one in fixtures if one.status != "bye"]
    return {"games": len(statuses), "played": len(statuses) - statuses.count("planned")}


def build_page(
    request: HttpRequest, slug: str, competition: str, section: str
) -> tuple[CompetitionPage, dict[str, Any]]:
    """Return a competition and the context of one of its pages; raises NotFound."""
    league, _system, context = build_league_context(request, slug, "competitions", below=True)
    arbitrates = viewer_of(request).may("arbitrate", league)
    found = find_competition(league, competition, for_organisers=arbitrates)
    page = CompetitionPage(load_competition(found, context["now"]))
    if arbitrates:
        # Its key stands in the head of the page, and replaces those of the league below it.
        context |= {"acts": [], "desk_address": reverse("desk:competition", args=[slug, found.slug])}
    return page, {
        **context,
        "competition": found,
        **build_link_picture(found, league.title),
        "page": page,
        "stepper": RoundStepper(page.rounds, page.current_round) if page.rounds else None,
        "section": section,
        "format": build_format(found),
        "arbitrates": arbitrates,
        "clock": Clock(found.time_zone or league.time_zone),
    }


def build_link_picture(competition: Competition, *words: str, name: str = "", number: int = 0) -> dict[str, str]:
    """Return the address of a link picture, of the competition or (``name``) of a part of it, and what it shows."""
    if not load_declared(lambda app: app.pages.link_picture):
        return {}
    keys = [competition.league.slug, competition.slug, *([number] if number else [])]
    return {
        "link_picture": reverse(f"pages:competition_{name}_card" if name else "pages:competition_card", args=keys),
        "link_picture_title": " · ".join((competition.title, *words)),
    }
