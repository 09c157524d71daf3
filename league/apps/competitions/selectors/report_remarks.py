"""What a tournament report says of an arbiter's changes, in lines of remarks (###). Files are in English."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from fractions import Fraction

from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition
from league.apps.competitions.selectors.pairing_numbers import list_pairing_numbers
from league.apps.competitions.selectors.trail import (
    ADDED,
    ADJOURNED,
    NUMBERS,
    PAIRING,
    POINTS,
    REPORTED,
    RESULT,
    TrailLine,
    TrailResult,
    build_result,
    load_trail,
)
from ratings.contract.competition import parse_fraction
from ratings.trf.remarks import (
    LATE_ENTRY,
    TrfRemark,
    join_entries,
    write_pairing,
    write_points,
    write_seat_points,
)

#: Changes of fixtures, which go with a round that is undone.
OF_FIXTURES = (PAIRING, RESULT, POINTS, ADJOURNED, REPORTED)
#: Changes from which the pairings of later rounds follow.
OF_PAIRINGS = (PAIRING, RESULT, POINTS, ADDED)


def list_remarks(loaded: LoadedCompetition) -> tuple[str, ...]:
    """Return the texts of the remarks, in the order of time, with today's pairing numbers instead of names."""
    lines = [
        _place_exchange(loaded, line) if line.kind is NUMBERS else line
        for line in _drop_taken_back(loaded, load_trail(loaded))
        if line.kind.remark and _stands(loaded, line)
    ]
    last = {line.game: line for line in lines if line.kind is REPORTED}
    remarks = (_build_remark(loaded, line, is_last=line in last.values()) for line in lines)
    # Points that were added have a line of their own; it does not say which rounds were paired without them.
    kept = (one for line, one in zip(lines, remarks, strict=True) if line.kind is not ADDED or one.paired)
    return tuple(one.write() for one in (*_list_late_entries(loaded), *kept))


def _place_exchange(loaded: LoadedCompetition, line: TrailLine) -> TrailLine:
    """Return an exchange of numbers with the last round that was paired before it and not undone since."""
    return replace(line, round=_find_round_before(loaded, line.at))


def _find_round_before(loaded: LoadedCompetition, time: datetime) -> int:
    """Return the last round that was made before a time, as rounds are made now; 0 if none was."""
    return max((number for number, one in loaded.rounds.items() if one.made_at < time), default=0)


def _list_late_entries(loaded: LoadedCompetition) -> Iterator[TrfRemark]:
    """Yield the entries that came after a round of a Swiss system was made, which had no number in it."""
    for entry in loaded.entries.values() if loaded.competition.format == "swiss" else ():
        if before := _find_round_before(loaded, entry.entered_at):
            yield TrfRemark(LATE_ENTRY, before, (entry.pairing_number,))


def _drop_taken_back(loaded: LoadedCompetition, lines: Sequence[TrailLine]) -> list[TrailLine]:
    """Return the changes without adjournments and exchanges that were taken back before a round was paired."""
    kept: list[TrailLine] = []
    for line in lines:
        mark = _find_taken_back(kept, line)
        if mark is None or any(mark.at <= one.made_at <= line.at for one in loaded.rounds.values()):
            kept.append(line)
        else:
            kept.remove(mark)
    return kept


def _find_taken_back(earlier: Sequence[TrailLine], line: TrailLine) -> TrailLine | None:
    """Return the adjournment that a change takes back, or the last exchange of numbers if it is the same."""
    if line.kind is NUMBERS:
        last = next((one for one in reversed(earlier) if one.kind is NUMBERS), None)
        return last if last is not None and {*last.entries} == {*line.entries} else None
    if line.kind is not ADJOURNED or not line.old:
        return None
    return next((one for one in reversed(earlier) if one.kind is ADJOURNED and one.game == line.game), None)


def _stands(loaded: LoadedCompetition, line: TrailLine) -> bool:
    """Return whether the round that a change is about was not undone since."""
    made = loaded.rounds.get(line.round)
    return line.kind not in OF_FIXTURES or not line.round or (made is not None and line.at >= made.made_at)


def _build_remark(loaded: LoadedCompetition, line: TrailLine, *, is_last: bool) -> TrfRemark:
    old, new, paired = _write(loaded, line, line.old), _write(loaded, line, line.new), 0
    state = _find_fixture(loaded, line)
    if line.kind is REPORTED and is_last and state is not None and state.reported and state.game is not None:
        old = build_result(loaded, state.entries, state.game).outcome
    if line.kind is POINTS and line.own:
        # The points of other results follow from the table.
        old, new = _fill(line.old or "--", line.own), _fill(line.new, line.own)
    if line.kind is ADJOURNED:
        # A game that was restored was entered before.
        ended_at = None if state is None or line.old else line.ended_at or state.ended_at
        paired = 0 if ended_at is None else _find_last_paired(loaded, max(ended_at, line.at))
    elif line.kind in OF_PAIRINGS:
        paired = _find_last_paired(loaded, line.at)
    entries = _renumber(loaded, line.entries)
    return TrfRemark(line.kind.remark, line.round, entries, old, new, paired if paired > line.round else 0)


def _renumber(loaded: LoadedCompetition, entries: Sequence[int]) -> tuple[int, ...]:
    numbers = list_pairing_numbers(loaded)
    return tuple(numbers.get(number, number) for number in entries)


def _fill(value: Sequence[str], own: Sequence[Fraction | None]) -> str:
    """Return points that were decided, "" for none; a seat without any (-) has those of the result."""
    points = [other if one == "-" else parse_fraction(one) for one, other in zip(value, own, strict=False)]
    return write_seat_points(points)


def _write(loaded: LoadedCompetition, line: TrailLine, value: object) -> str:
    """Return a value of a change as remarks have it."""
    if isinstance(value, TrailResult):
        return value.outcome
    if line.kind is PAIRING and isinstance(value, tuple):
        return write_pairing(_renumber(loaded, value), line.meeting)
    if line.kind is NUMBERS:
        # The entries have them.
        return ""
    if line.kind is ADDED and value:
        return write_points(parse_fraction(str(value)))
    return join_entries(value) if isinstance(value, tuple) else str(value)


def _find_fixture(loaded: LoadedCompetition, line: TrailLine) -> FixtureState | None:
    some = loaded.list_fixtures(line.round) if line.kind in (ADJOURNED, REPORTED) else ()
    return next((one for one in some if one.entries == line.entries), None)


def _find_last_paired(loaded: LoadedCompetition, time: datetime) -> int:
    """Return the last round that was made before a time."""
    return max((number for number, one in loaded.rounds.items() if one.made_at <= time), default=0)
