"""The picture of two players' record: a bar of wins, and a strip of their meetings."""

from collections.abc import Sequence
from dataclasses import dataclass

from league.core.games.selectors.games import compute_evening_day
from league.core.players.selectors.versus import Meeting, MeetingSide, Versus
from league.core.text.display_formats import format_day, format_ordinal
from league.core.text.game_results import format_result_of_two
from league.models import League

#: Maximum number of meetings in the strip, and number of slots from which they fill its width.
MAX_CELLS, SLOTS = 100, 24
#: Heights of the lowest and the highest cell, and of one without a margin, in per cent; share of a slot that is filled.
LOWEST, HIGHEST, UNKNOWN, FILLED = 8.0, 48.0, 24.0, 0.82
#: Half the height of a tie; the least distance of the years below the strip, and where the last may begin, in per cent.
TIED, APART, LAST = 3.0, 11.0, 91.0
#: Outcome of a meeting -> CSS class of its winner.
KINDS = {1: "first", 0: "tied", -1: "second"}


@dataclass(frozen=True)
class MeetingCell:
    """A meeting in the strip: above its middle line if the first player was ahead, below if the second was."""

    x: float
    y: float
    height: float
    kind: str
    number: int
    words: str


@dataclass(frozen=True)
class MeetingRecord:
    """The picture of a record, in per cent: wins, wins and ties, and expected score, and the strip of meetings."""

    ahead: float
    held: float
    expected: float | None
    cells: list[MeetingCell]
    width: float
    years: list[tuple[float, int]]
    largest: float | None
    """The largest margin in the strip; None if no margins are known."""


def draw_record(league: League, versus: Versus) -> MeetingRecord | None:
    """Draw the record of two players; None if they have not met."""
    if not versus.meetings:
        return None
    share = 100.0 / len(versus.meetings)
    latest = versus.meetings[MAX_CELLS - 1 :: -1]
    slot = 100.0 / max(len(latest), SLOTS)
    total = versus.expected
    return MeetingRecord(
        round(versus.ahead * share, 2),
        round((versus.ahead + versus.level) * share, 2),
        round(total.expected / total.meetings * 100.0, 2) if total else None,
        _place_cells(league, latest, slot),
        round(slot * FILLED, 2),
        _place_years(league, latest, slot),
        max((margin for meeting in latest if (margin := compute_margin(*meeting.sides))), default=None),
    )


def _place_cells(league: League, meetings: Sequence[Meeting], slot: float) -> list[MeetingCell]:
    """Return the cells of meetings, the earliest first."""
    margins = [compute_margin(*meeting.sides) for meeting in meetings]
    largest = max((margin for margin in margins if margin), default=1.0)
    cells = []
    for index, (meeting, margin) in enumerate(zip(meetings, margins, strict=True)):
        height = UNKNOWN if margin is None else LOWEST + (HIGHEST - LOWEST) * margin / largest
        top = {1: 50.0 - height, 0: 50.0 - TIED, -1: 50.0}[meeting.outcome]
        height = height if meeting.outcome else 2.0 * TIED
        words = " · ".join(filter(None, (format_day(compute_evening_day(league, meeting.at)), format_meeting(meeting))))
        x = round(index * slot, 2)
        cells.append(MeetingCell(x, round(top, 2), round(height, 2), KINDS[meeting.outcome], meeting.number, words))
    return cells


def compute_margin(first: MeetingSide, second: MeetingSide) -> float | None:
    """Return how far two players were apart, in points or else in places; None if unknown."""
    if first.score is not None and second.score is not None:
        return abs(first.score - second.score)
    if first.place is not None and second.place is not None:
        return float(abs(first.place - second.place))
    return None


def format_meeting(meeting: Meeting) -> str:
    """Return the result of a meeting; "" if unknown. Places among more than two are said as such."""
    first, second = meeting.sides
    if not meeting.of_two and None in (first.score, second.score):
        places = first.place, second.place
        return "" if None in places else ", ".join(map(format_ordinal, places))
    return format_result_of_two((first.score, first.place), (second.score, second.place))


def _place_years(league: League, meetings: Sequence[Meeting], slot: float) -> list[tuple[float, int]]:
    """Return the years below the strip, each at its first meeting; of two that collide, the later one."""
    years: list[tuple[float, int]] = []
    last = None
    for index, meeting in enumerate(meetings):
        year, x = compute_evening_day(league, meeting.at).year, round(index * slot, 2)
        if year != last and x <= LAST:
            years = [*(entry for entry in years if entry[0] + APART <= x), (x, year)]
        last = year
    return years
