"""The bracket of a knock-out as rounds of matches."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from league.apps.competitions.models import Fixture
from league.apps.competitions.public.lines import ShownEntry, list_planned_starts
from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition, load_competitions
from league.apps.competitions.selectors.competitions import BRACKET_FORMATS, build_format
from league.apps.competitions.selectors.result_texts import format_game_points, format_points
from league.core.text.game_results import format_score
from ratings.contract.bracket_format import BracketFormat, BracketMatch, SeatSource
from ratings.standings.knockout_bracket import Bracket, build_bracket


@dataclass(frozen=True)
class BracketSide:
    """A side of a match; without an entry while nobody is known, or for a bye.

    ``awaited``: whose winner or loser it will be.
    """

    entry: ShownEntry | None
    points: str = ""
    won: bool = False
    out: bool = False
    awaited: str = ""


@dataclass(frozen=True)
class BracketLine:
    """A match of the bracket. ``bye``: one entry goes on without an opponent. ``number``: 0 if nothing refers to it.

    ``planned``: its next game, if that has a start of its own. ``games``: the addresses of those that were recorded.
    """

    sides: tuple[BracketSide, ...]
    bye: bool = False
    paired: bool = False
    number: int = 0
    planned: FixtureState | None = None
    games: tuple[str, ...] = ()


@dataclass(frozen=True)
class BracketRound:
    """A round of the bracket with its title, such as Semi-finals, and when it begins, if its matches do not differ.

    ``number``: its position in the bracket. ``alone``: it does not follow from pairs of matches beside it.
    """

    number: int
    title: str
    starts_at: datetime | None
    matches: tuple[BracketLine, ...]
    alone: bool = False


@dataclass(frozen=True)
class DrawnBracket:
    """The rounds of a bracket, and the match for the third place; ``losers``: the rounds after a first loss."""

    rounds: tuple[BracketRound, ...]
    third_place: BracketLine | None
    losers: tuple[BracketRound, ...] = ()


def draw_bracket(loaded: LoadedCompetition, entries: Mapping[int, ShownEntry]) -> DrawnBracket | None:
    """Return the bracket of a knock-out; None for other formats, and before the first round."""
    bracket_format = build_format(loaded.competition)
    if not isinstance(bracket_format, BracketFormat) or not loaded.data.rounds:
        return None
    starts = {one.number: one.starts_at for one in loaded.published_rounds}
    planned = [state for number in starts for state in _list_planned(loaded, number)]
    games = reverse("pages:games", args=[loaded.competition.league.slug])
    addresses = {id(one.data): f"{games}{one.game.number}/" for one in loaded.fixtures if one.game}
    return _BracketDrawing(build_bracket(loaded.data, bracket_format), entries, starts, planned, addresses).draw()


def _list_planned(loaded: LoadedCompetition, number: int) -> list[FixtureState]:
    """Return the open fixtures of a round that have a start of their own, the next ones first."""
    fixtures = loaded.list_fixtures(number)
    starts = list_planned_starts(loaded, number, fixtures)["starts"]
    return sorted((one for one in fixtures if one.number in starts), key=lambda one: starts[one.number])


def list_round_titles(loaded: LoadedCompetition) -> dict[int, str]:
    """Return number -> title of the rounds that have one in the bracket, such as Semi-finals; {} without a bracket."""
    bracket_format = build_format(loaded.competition)
    if not isinstance(bracket_format, BracketFormat) or not loaded.data.rounds:
        return {}
    bracket = build_bracket(loaded.data, bracket_format)
    if bracket.list_columns("losers"):
        # Winners and losers play in the same rounds.
        return {}
    return {
        bracket.plan[bracket.matches.index(one[0])].round: name_round(bracket, number)
        for number, one in enumerate(bracket.rounds, 1)
    }


def load_round_titles(fixtures: Iterable[Fixture]) -> dict[int, str]:
    """Return fixture's id -> the title of its round (``list_round_titles``), of those in a bracket."""
    rows = [row for row in fixtures if row.round and row.competition.format in BRACKET_FORMATS]
    competitions = {row.competition.pk: row.competition for row in rows}
    titles = {one.competition.pk: list_round_titles(one) for one in load_competitions([*competitions.values()])}
    return {row.pk: titles[row.competition.pk].get(row.round.number, "") for row in rows if row.round}


class _BracketDrawing:
    """Draws a bracket; matches that seats refer to have numbers."""

    def __init__(
        self,
        bracket: Bracket,
        entries: Mapping[int, ShownEntry],
        starts: Mapping[int, datetime | None],
        planned: Sequence[FixtureState],
        addresses: Mapping[int, str],
    ) -> None:
        """``addresses``: identity of a fixture's data -> the page of its game."""
        self.bracket, self.entries, self.starts, self.addresses = bracket, entries, starts, addresses
        self.planned = {frozenset(one.entries): one for one in reversed(planned)}
        self.places = {id(match): at for at, match in enumerate(bracket.matches)}
        sources = [source for at in self.places.values() for source in bracket.list_awaited(at) if source]
        #: The matches that seats name by their numbers, as their entries are not known.
        self.named = {source.of for source in sources if None in bracket.matches[source.of].entries}

    def draw(self) -> DrawnBracket:
        """Return the bracket with its rounds."""
        losers, finals = (self.bracket.list_columns(stage) for stage in ("losers", "final"))
        titles = [name_round(self.bracket, number) for number in range(1, len(self.bracket.rounds) + 1)]
        rounds = [*zip(titles, self.bracket.rounds, strict=True)]
        if finals:
            rounds = [(_name_column(self._find_round(one), "winners"), one) for one in self.bracket.rounds]
            names = pgettext("round of a knock-out", "Final"), pgettext("round of a knock-out", "Second final")
            rounds += [(name, one) for name, one in zip(names, finals, strict=False) if one[0].needed]
        columns = [(_name_column(self._find_round(one), "losers"), one) for one in losers]
        drawn = [
            self._draw_round(number, title, one, one in finals)
            for number, (title, one) in enumerate([*rounds, *columns], 1)
        ]
        third = self.bracket.list_columns("third")[0][0] if self.bracket.for_third_place else self.bracket.third_place
        split = len(rounds)
        return DrawnBracket(
            tuple(drawn[:split]),
            None if third is None else self._draw_match(third),
            tuple(one for one in drawn[split:] if one.matches),
        )

    def _draw_round(self, number: int, title: str, matches: Sequence[BracketMatch], alone: bool) -> BracketRound:
        drawn = self._draw_matches(matches)
        starts_at = None if any(one.planned for one in drawn) else self.starts.get(self._find_round(matches))
        return BracketRound(number, title, starts_at, drawn, alone)

    def _find_round(self, matches: Sequence[BracketMatch]) -> int:
        return self.bracket.plan[self.places[id(matches[0])]].round

    def _draw_matches(self, matches: Sequence[BracketMatch]) -> tuple[BracketLine, ...]:
        """Return the matches of a round, without those of the losers in which nobody plays."""
        shown = (match for match in matches if self._is_shown(match))
        return tuple(self._draw_match(match) for match in shown)

    def _is_shown(self, match: BracketMatch) -> bool:
        at = self.places.get(id(match))
        planned = None if at is None else self.bracket.plan[at]
        return planned is None or planned.stage != "losers" or planned.number > 0 or bool(match.fixtures)

    def _draw_match(self, match: BracketMatch) -> BracketLine:
        at = self.places.get(id(match))
        awaited = (None, None) if at is None else self.bracket.list_awaited(at)
        is_bye = bool(match.fixtures) and None in match.entries
        played = any(fixture.kind in ("played", "forfeit") for fixture in match.fixtures)
        sides = tuple(
            BracketSide(
                self.entries.get(entry) if entry is not None else None,
                _format_points(match, place) if played else "",
                won=entry is not None and entry == match.winner and not is_bye,
                out=entry in match.losers,
                awaited=self._describe_awaited(source),
            )
            for place, (entry, source) in enumerate(zip(match.entries, awaited, strict=True))
        )
        number = 0 if at is None or at not in self.named else self.bracket.plan[at].number
        planned = self.planned.get(frozenset(one for one in match.entries if one is not None))
        games = tuple(self.addresses[id(one)] for one in match.fixtures if id(one) in self.addresses)
        return BracketLine(sides, is_bye, bool(match.fixtures), number, planned, games)

    def _describe_awaited(self, source: SeatSource | None) -> str:
        """Return whose winner or loser comes: of two entries, or of the match with a number."""
        if source is None:
            return ""
        is_winner, match = source.kind == "winner_of", self.bracket.matches[source.of]
        known = [one for one in match.entries if one is not None and one in self.entries]
        if len(known) == 2:
            words = _("winner of {first} / {second}") if is_winner else _("loser of {first} / {second}")
            return words.format(first=self.entries[known[0]].name, second=self.entries[known[1]].name)
        words = _("winner of match {number}") if is_winner else _("loser of match {number}")
        return words.format(number=self.bracket.plan[source.of].number)


def name_round(bracket: Bracket, number: int) -> str:
    """Return the title of a round of a bracket."""
    matches = len(bracket.rounds[number - 1])
    if matches == 1:
        return pgettext("round of a knock-out", "Final")
    if matches == 2:
        return pgettext("round of a knock-out", "Semi-finals")
    if matches == 4:
        return pgettext("round of a knock-out", "Quarter-finals")
    # Translators: a round of a knock-out in which this number of entries is left.
    return ngettext("Last {count}", "Last {count}", 2 * matches).format(count=2 * matches)


def _name_column(number: int, stage: str) -> str:
    """Return the title of a round of a double elimination, with its number in the competition."""
    if stage == "winners":
        return pgettext("a bracket", "Winners, round {number}").format(number=number)
    return pgettext("a bracket", "Losers, round {number}").format(number=number)


def _format_points(match: BracketMatch, place: int) -> str:
    """Return the score of the one game of a match, else the points of its games."""
    if len(match.fixtures) == 1:
        seat = next(seat for seat in match.fixtures[0].seats if seat.entry == match.entries[place])
        if seat.score is not None and match.fixtures[0].kind == "played":
            return format_score(seat.score)
        return format_game_points(match.points[place])
    return format_points(match.points[place])
