"""A series by hand: points of places, drops, ties, bonus, guests, and what can still happen."""

from fractions import Fraction

import pytest

from ratings.seasons.rules import SeriesRule
from ratings.seasons.series import EventLine, SeriesEvent, SeriesRow, find_last_sufficient_place, tabulate_series


def build_event(number: int, *order: str) -> SeriesEvent:
    """Return an event; players of one text share a place, and the last has one point of the competition."""
    lines, place = [], 1
    total = sum(map(len, order))
    for together in order:
        lines += [EventLine(player, place, Fraction(total + 1 - place)) for player in together]
        place += len(together)
    return SeriesEvent(number, tuple(lines))


def list_points(rows: list[SeriesRow]) -> list[tuple[int, str, float]]:
    """Return rank, player and points of each row."""
    return [(row.rank, row.player, float(row.points)) for row in rows]


TABLE = {"table": [25, 18, 15]}


def test_best_two_of_three() -> None:
    """The example of the sums: A was first, first, third; B second, second, first; C third, third, second."""
    events = [build_event(1, "A", "B", "C"), build_event(2, "A", "B", "C"), build_event(3, "B", "C", "A")]
    rows = tabulate_series(SeriesRule(points=TABLE, best=2, of=3), events)
    assert list_points(rows) == [(1, "A", 50), (2, "B", 43), (3, "C", 33)]
    assert [row.needs for row in rows] == [0, 0, 0]
    assert [score.counted for score in rows[0].events] == [True, True, False]
    assert [row.can_still_win for row in rows] == [True, False, False]


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ({"table": [25, 18, 15]}, {"A": 25, "B": Fraction(33, 2), "C": Fraction(33, 2), "D": 0}),
        ({"by": "n_plus_1_minus_place"}, {"A": 4, "B": Fraction(5, 2), "C": Fraction(5, 2), "D": 1}),
        ({"by": "share_of_field"}, {"A": 100, "B": Fraction(125, 2), "C": Fraction(125, 2), "D": 25}),
        ({"by": "competition_points"}, {"A": 4, "B": 3, "C": 3, "D": 1}),
    ],
)
def test_those_who_share_a_place_share_its_points(points: dict[str, object], expected: dict[str, Fraction]) -> None:
    """Second and third place are shared."""
    rows = tabulate_series(SeriesRule(points=points, of=1), [build_event(1, "A", "BC", "D")])
    assert {row.player: row.points for row in rows} == expected
    assert [row.rank for row in rows] == [1, 2, 2, 4]


def test_ties_are_decided_by_firsts_and_then_the_last_event() -> None:
    """A and B have 43 points each and a first place; B was better in the last event. C has no first place."""
    events = [build_event(1, "A", "B", "C"), build_event(2, "B", "A", "C")]
    rows = tabulate_series(SeriesRule(points=TABLE, of=2), events)
    assert list_points(rows) == [(1, "B", 43), (2, "A", 43), (3, "C", 30)]
    # Nothing has to separate A from C, who has fewer points.
    assert [row.decided_by for row in rows] == ["last_event", "", ""]
    # D won once, E was second and third: 18 + 15 = 33 = 33 + 0.
    won = tabulate_series(
        SeriesRule(points={"table": [33, 18, 15]}, of=2), [build_event(1, "D", "E"), build_event(2, "F", "G", "E")]
    )
    assert [(row.player, row.decided_by) for row in won if row.points == 33] == [
        ("F", "last_event"),
        ("D", "firsts"),
        ("E", ""),
    ]
    shared = tabulate_series(SeriesRule(points=TABLE, of=2, ties=["firsts"]), events)
    assert [row.rank for row in shared] == [1, 1, 3]
    # 20 + 0 for A and 10 + 10 for B: the first place decides although both have 20 points.
    rule = SeriesRule(points={"table": [20, 10]}, of=2)
    one = tabulate_series(rule, [build_event(1, "A", "B", "C"), build_event(2, "C", "B", "A")])
    assert [(row.rank, row.player) for row in one] == [(1, "C"), (2, "A"), (3, "B")]


def test_the_final_weighs_more_and_a_bonus_belongs_to_its_event() -> None:
    """The last event counts twice; everyone who plays gets a point, the winner two more."""
    rule = SeriesRule(
        points=TABLE, of=2, final_weight=2, bonus=[{"what": "played", "points": 1}, {"what": "won", "points": 2}]
    )
    rows = tabulate_series(rule, [build_event(1, "A", "B"), build_event(2, "B", "A")])
    assert list_points(rows) == [(1, "B", 18 + 1 + 50 + 3), (2, "A", 25 + 3 + 36 + 1)]


def test_guests_are_counted_or_passed_over() -> None:
    """A guest wins: places are counted with or without the guest."""
    event = build_event(1, "G", "A", "B")
    counted = tabulate_series(SeriesRule(points=TABLE, of=1), [event], ["A", "B"], ["G"])
    assert list_points(counted) == [(1, "G", 25), (2, "A", 18), (3, "B", 15)]
    without = tabulate_series(SeriesRule(points=TABLE, of=1, guests="passed_over"), [event], ["A", "B", "C"], ["G"])
    assert list_points(without) == [(1, "A", 25), (2, "B", 18), (3, "C", 0)]


def test_what_can_still_happen() -> None:
    """Best two of three, one event to come: C needs 7 more than the 18 of the second event to reach A."""
    events = [build_event(1, "A", "B", "C"), build_event(2, "A", "C", "B")]
    rows = {row.player: row for row in tabulate_series(SeriesRule(points=TABLE, best=2, of=3), events, ["D"])}
    assert rows["A"].points == 50 and rows["A"].needs == 0 and rows["A"].can_still_win
    assert rows["C"].points == 33 and rows["C"].highest == 43 and not rows["C"].can_still_win
    assert rows["C"].needs == 50 - 33 + 15
    assert rows["D"].points == 0 and rows["D"].highest == 25 and not rows["D"].can_still_win


def test_the_last_place_that_gives_enough() -> None:
    """Places give 25, 18 and 15; in the last event twice that and a point for playing: 51, 37 and 31."""
    rule = SeriesRule(points=TABLE, of=2, final_weight=2, bonus=[{"what": "played", "points": 1}])
    needs = (Fraction(61, 2), Fraction(31), Fraction(38), Fraction(52))
    assert [find_last_sufficient_place(rule, 2, one) for one in needs] == [3, 3, 1, None]
    assert find_last_sufficient_place(rule, 1, Fraction(19)) == 2  # 18 and the point
    # What a place gives depends on the field, or on the games.
    assert find_last_sufficient_place(SeriesRule(points={"by": "n_plus_1_minus_place"}, of=2), 2, Fraction(1)) is None


def test_a_series_without_events() -> None:
    """Everyone shares the first rank."""
    rows = tabulate_series(SeriesRule(points=TABLE, of=3), [], ["A", "B"])
    assert [(row.rank, float(row.points), row.can_still_win) for row in rows] == [(1, 0, True), (1, 0, True)]
    assert tabulate_series(SeriesRule(points=TABLE, of=3), []) == []


def test_points_of_competitions_have_no_bound() -> None:
    """Nobody is out as long as there is an event."""
    rows = tabulate_series(SeriesRule(points={"by": "competition_points"}, of=2), [build_event(1, "A", "B")])
    assert [(row.highest, row.can_still_win) for row in rows] == [(None, True), (None, True)]
