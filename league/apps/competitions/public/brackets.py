"""The bracket of a knock-out as rounds of matches."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import ngettext, pgettext

from league.apps.competitions.public.lines import ShownEntry
from league.apps.competitions.selectors.competition_data import LoadedCompetition
from league.apps.competitions.selectors.competitions import build_format
from league.apps.competitions.selectors.result_texts import format_game_points, format_points
from league.core.text.game_results import format_score
from ratings.pairing_formats.knockout import Knockout
from ratings.standings.knockout_bracket import Bracket, BracketMatch, build_bracket


@dataclass(frozen=True)
class BracketSide:
    """A side of a match; without an entry while nobody is known, or for a bye."""

    entry: ShownEntry | None
    points: str = ""
    won: bool = False
    out: bool = False


@dataclass(frozen=True)
class BracketLine:
    """A match of the bracket. ``bye``: one entry goes on without an opponent. ``game``: of a match of one game."""

    sides: tuple[BracketSide, ...]
    bye: bool = False
    paired: bool = False


@dataclass(frozen=True)
class BracketRound:
    """A round of the bracket with its title, such as Semi-finals."""

    number: int
    title: str
    matches: tuple[BracketLine, ...]


@dataclass(frozen=True)
class DrawnBracket:
    """The rounds of a bracket, and the match for the third place."""

    rounds: tuple[BracketRound, ...]
    third_place: BracketLine | None


def draw_bracket(loaded: LoadedCompetition, entries: Mapping[int, ShownEntry]) -> DrawnBracket | None:
    """Return the bracket of a knock-out; None for other formats, and before the first round."""
    knockout = build_format(loaded.competition)
    if not isinstance(knockout, Knockout) or not loaded.data.rounds:
        return None
    bracket = build_bracket(loaded.data, knockout)
    rounds = tuple(
        BracketRound(number, name_round(bracket, number), tuple(_build_line(match, entries) for match in matches))
        for number, matches in enumerate(bracket.rounds, 1)
    )
    third = bracket.third_place
    return DrawnBracket(rounds, None if third is None else _build_line(third, entries))


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


def _build_line(match: BracketMatch, entries: Mapping[int, ShownEntry]) -> BracketLine:
    is_bye = bool(match.fixtures) and None in match.entries
    played = any(fixture.kind in ("played", "forfeit") for fixture in match.fixtures)
    sides = tuple(
        BracketSide(
            entries.get(entry) if entry is not None else None,
            _format_points(match, place) if played else "",
            won=entry is not None and entry == match.winner and not is_bye,
            out=entry in match.losers,
        )
        for place, entry in enumerate(match.entries)
    )
    return BracketLine(sides, bye=is_bye, paired=bool(match.fixtures))


def _format_points(match: BracketMatch, place: int) -> str:
    """Return the score of the one game of a match, else the points of its games."""
    if len(match.fixtures) == 1:
        seat = next(seat for seat in match.fixtures[0].seats if seat.entry == match.entries[place])
        if seat.score is not None and match.fixtures[0].kind == "played":
            return format_score(seat.score)
        return format_game_points(match.points[place])
    return format_points(match.points[place])
