"""The bracket of a knock-out as rounds of matches."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
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
    """A match of the bracket. ``bye``: one entry goes on without an opponent. ``game``: of a match of one game."""

    sides: tuple[BracketSide, ...]
    bye: bool = False
    paired: bool = False


@dataclass(frozen=True)
class BracketRound:
    """A round of the bracket with its title, such as Semi-finals, and when it begins, if that is published."""

    number: int
    title: str
    starts_at: datetime | None
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
        BracketRound(
            number,
            name_round(bracket, number),
            next((one.starts_at for one in loaded.published_rounds if one.number == number), None),
            tuple(
                _build_line(match, entries, _describe_awaited(bracket, entries, number, at))
                for at, match in enumerate(matches)
            ),
        )
        for number, matches in enumerate(bracket.rounds, 1)
    )
    third = bracket.third_place or (_await_third_place(bracket) if bracket.for_third_place else None)
    awaited = _describe_awaited(bracket, entries, len(bracket.rounds), 0, losers=True)
    return DrawnBracket(rounds, None if third is None else _build_line(third, entries, awaited))


def _await_third_place(bracket: Bracket) -> BracketMatch:
    """Return the match for the third place before it is paired, with the losers of the semi-finals that are known."""
    first, second = (next(iter(match.losers), None) for match in bracket.rounds[-2])
    return BracketMatch((first, second))


def _describe_awaited(
    bracket: Bracket, entries: Mapping[int, ShownEntry], number: int, at: int, *, losers: bool = False
) -> tuple[str, str]:
    """Return for each side of a match from which match of the round before it comes, "" if nobody will."""
    before = bracket.rounds[number - 2] if number > 1 else ()
    template = _("loser of {first} – {second}") if losers else _("winner of {first} – {second}")
    words = []
    for source in before[2 * at : 2 * at + 2]:
        names = [entries[entry].name for entry in source.entries if entry is not None and entry in entries]
        if source.ended:
            words.append("")
        elif len(names) == len(source.entries):
            words.append(template.format(first=names[0], second=names[1]))
        else:
            words.append(_("not known yet"))
    return (words[0], words[1]) if len(words) == 2 else ("", "")


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


def _build_line(match: BracketMatch, entries: Mapping[int, ShownEntry], awaited: tuple[str, str]) -> BracketLine:
    is_bye = bool(match.fixtures) and None in match.entries
    played = any(fixture.kind in ("played", "forfeit") for fixture in match.fixtures)
    sides = tuple(
        BracketSide(
            entries.get(entry) if entry is not None else None,
            _format_points(match, place) if played else "",
            won=entry is not None and entry == match.winner and not is_bye,
            out=entry in match.losers,
            awaited="" if entry is not None else awaited[place],
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
