"""What a tournament report was before an arbiter changed it by hand, as its remarks tell.

A round is compared with the rules as it was made, from the rounds before as they stood then: a correction that came
later is taken back, an adjourned game is a draw, late entries are left out, and exchanged numbers are as they were.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from ratings.contract.competition import CompetitionData, FixtureData, PointsTable, RoundData, build_game
from ratings.trf.remarks import (
    ADDED_POINTS,
    ADJOURNMENT,
    AWARDED,
    CORRECTION,
    DRAW,
    EXPULSION,
    LATE_ENTRY,
    NUMBERS,
    PAIRING,
    POINTS,
    POINTS_SETTING,
    REPORT_ALONE,
    ROUNDS_SETTING,
    TrfRemark,
    read_pairing,
    read_points,
    read_points_table,
    read_result,
    read_seat_points,
    write_result,
)

#: After the last round.
END = 1000


class ReportHistory:
    """The rounds of a report, and the remarks in the order of time."""

    def __init__(self, data: CompetitionData, remarks: Sequence[TrfRemark] = ()) -> None:
        self._data, self._remarks = data, remarks
        #: The last remark of each game whose result only the report has.
        self.reported = [
            one for one in remarks if one.kind == CORRECTION and one.new.endswith(REPORT_ALONE) and one.old
        ]

    def list_expelled(self) -> frozenset[int]:
        """Return the entries that an arbiter expelled, without those that came back."""
        expelled: dict[int, bool] = {}
        for remark in self._remarks:
            if remark.kind == EXPULSION:
                expelled |= dict.fromkeys(remark.entries, not remark.old)
        return frozenset(entry.number for entry in self._data.entries if expelled.get(entry.number))

    def find_made(self, one_round: RoundData) -> tuple[RoundData, list[TrfRemark], int]:
        """Return a round as it was made, remarks of it that do not hold, and the line of its first remark (0: none)."""
        fixtures, broken, first = list(one_round.fixtures), [], 0
        for remark in reversed(self._remarks):
            if remark.kind == PAIRING and remark.round == one_round.number:
                first = remark.line
                if not _undo_pairing(fixtures, remark):
                    broken.append(remark)
        return replace(one_round, fixtures=tuple(fixtures)), broken, first

    def rewind(self, number: int = END) -> CompetitionData:
        """Return the rounds before a round as they stood when it was paired; by default all as they stand.

        For a pairing, an adjourned game is a draw.
        """
        state = _State(self._data, number)
        for remark in self.reported:
            state.write_result(remark, self._remarks)
        for at in reversed(range(len(self._remarks))):
            state.undo(self._remarks[at], self._remarks[:at])
        return state.build()


class _State:
    """The competition before a round, while remarks are taken back, the last first."""

    def __init__(self, data: CompetitionData, number: int) -> None:
        self._data, self._number = data, number
        self._points, self._planned = data.points, data.planned_rounds
        self._rounds = {one.number: list(one.fixtures) for one in data.rounds if one.number < number}
        self._added = {entry.number: list(entry.added) for entry in data.entries}
        self._order = list(self._added)

    def build(self) -> CompetitionData:
        """Return the competition."""
        rounds = [
            RoundData(number, tuple(fixtures if self._number == END else map(_draw_adjourned, fixtures)))
            for number, fixtures in self._rounds.items()
        ]
        by_number = {entry.number: entry for entry in self._data.entries}
        entries = tuple(replace(by_number[number], added=tuple(self._added[number])) for number in self._order)
        return replace(
            self._data, entries=entries, rounds=tuple(rounds), points=self._points, planned_rounds=self._planned
        )

    def undo(self, remark: TrfRemark, earlier: Sequence[TrfRemark]) -> None:
        """Take back what came after the pairing of the round; ``earlier``: the remarks before it."""
        if remark.kind in (ROUNDS_SETTING, POINTS_SETTING):
            if remark.round >= self._number:
                self._undo_setting(remark, earlier)
        elif remark.kind in (NUMBERS, LATE_ENTRY):
            if self._number <= remark.round:
                self._undo_order(remark)
        elif remark.paired < self._number:
            return
        elif remark.kind == ADDED_POINTS:
            self._undo_added(remark)
        elif remark.round not in self._rounds:
            return
        elif remark.kind == PAIRING:
            _undo_pairing(self._rounds[remark.round], remark)
        elif remark.kind in (CORRECTION, ADJOURNMENT):
            self.write_result(remark, earlier)
        elif remark.kind == POINTS:
            self._undo_points(remark)

    def write_result(self, remark: TrfRemark, earlier: Sequence[TrfRemark]) -> None:
        """Give the game of a remark the result before, with the points that had been decided by then."""
        fixtures = self._rounds.get(remark.round, [])
        at = _find(fixtures, remark.entries)
        text = DRAW if remark.kind == ADJOURNMENT else remark.old
        result = read_result(text, remark.entries, self._points)
        if at is None or result is None:
            return
        fixtures[at] = result
        decided = [one.new for one in earlier if (one.kind, one.round, one.entries) == (POINTS, *remark.game)]
        if decided and result.kind != "planned":
            self._decide_points(remark, decided[-1])

    def _decide_points(self, remark: TrfRemark, text: str) -> None:
        """Give the game of a remark points that were decided; a seat without any has those of the result."""
        fixtures = self._rounds[remark.round]
        at, points = _find(fixtures, remark.entries), read_seat_points(text)
        if at is not None and points:
            seats = zip(fixtures[at].seats, points, strict=True)
            fixtures[at] = _put_points(fixtures[at], [seat.points if one is None else one for seat, one in seats])

    def _undo_order(self, remark: TrfRemark) -> None:
        """Take back an exchange of numbers, or entries that were not there yet, if they have no game."""
        if remark.kind == NUMBERS and len(remark.entries) == 2 and {*remark.entries} <= {*self._order}:
            first, second = map(self._order.index, remark.entries)
            self._order[first], self._order[second] = self._order[second], self._order[first]
        elif remark.kind == LATE_ENTRY:
            late = set(remark.entries)
            self._order = [number for number in self._order if number not in late]
            for fixtures in self._rounds.values():
                fixtures[:] = [one for one in fixtures if late.isdisjoint(seat.entry for seat in one.seats)]

    def _undo_points(self, remark: TrfRemark) -> None:
        fixtures = self._rounds[remark.round]
        at, points = _find(fixtures, remark.entries), read_seat_points(remark.old)
        if at is not None and points is not None:
            fixtures[at] = _put_points(fixtures[at], points or (None,) * len(remark.entries))

    def _undo_added(self, remark: TrfRemark) -> None:
        for entry in remark.entries:
            added = self._added.get(entry, [])
            for text, is_given in ((remark.new, True), (remark.old, False)):
                points = read_points(text)
                if points is None:
                    continue
                one = (remark.round, points)
                if not is_given:
                    added.append(one)
                elif one in added:
                    added.remove(one)

    def _undo_setting(self, remark: TrfRemark, earlier: Sequence[TrfRemark]) -> None:
        if remark.kind == ROUNDS_SETTING:
            self._planned = int(remark.old) if remark.old.isdecimal() else 0
        elif (points := read_points_table(remark.old)) is not None:
            self._convert_awarded(points)
            self._points = points
            decided = {one.game: one for one in earlier if one.kind == POINTS and one.round in self._rounds}
            for one in decided.values():
                self._decide_points(one, one.new)

    def _convert_awarded(self, points: PointsTable) -> None:
        """Give games of which only an arbiter gives the result the points that this has by another table."""
        for fixtures in self._rounds.values():
            for at, fixture in enumerate(fixtures):
                if len(fixture.seats) == 2 and fixture.kind == "played" and fixture.seats[0].points is not None:
                    text = write_result(fixture, self._points)
                    result = read_result(text, [seat.entry for seat in fixture.seats], points)
                    fixtures[at] = result if text in AWARDED and result is not None else fixture


def _undo_pairing(fixtures: list[FixtureData], remark: TrfRemark) -> bool:
    """Take a pairing by hand back; return whether the round has it."""
    new, old = (read_pairing(text) for text in (remark.new, remark.old))
    if (remark.new and new is None) or (remark.old and old is None):
        # Of tables, or in other words.
        return True
    if new is not None:
        at = _find(fixtures, [seat.entry for seat in new.seats])
        if at is None or (len(new.seats) == 1 and fixtures[at].kind != new.kind):
            return False
        del fixtures[at]
    if old is not None:
        # Whose fixture was taken away has a zero-point bye in the report.
        entries = {seat.entry for seat in old.seats}
        fixtures[:] = [one for one in fixtures if one.kind != "zero_bye" or one.seats[0].entry not in entries]
        fixtures.append(old)
    return True


def _find(fixtures: Sequence[FixtureData], entries: Sequence[int]) -> int | None:
    """Return where the fixture of some entries, in the order of the seats, stands."""
    return next((at for at, one in enumerate(fixtures) if [seat.entry for seat in one.seats] == [*entries]), None)


def _put_points(fixture: FixtureData, points: Sequence[Fraction | None]) -> FixtureData:
    seats = zip(fixture.seats, points, strict=True)
    return replace(fixture, seats=tuple(seat._replace(points=one) for seat, one in seats))


def _draw_adjourned(fixture: FixtureData) -> FixtureData:
    """Return an adjourned game as a draw, which it is for pairings alone."""
    if not fixture.adjourned:
        return fixture
    return build_game(fixture.seats[0].entry, fixture.seats[1].entry, "draw")
