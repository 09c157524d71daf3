"""Plans of drawn evenings against their rules, and against a search of every plan of a few matches."""

import random
from dataclasses import replace
from itertools import combinations

import pytest

from ratings.halls.conflicts import choose_next, find_conflicts
from ratings.halls.evening import Booking, EveningPlan, EveningTimes, HallMatch, HallTable
from ratings.halls.planning import plan_evening


def pair(key: int, *people: int, **values: object) -> HallMatch:
    return HallMatch(key, frozenset(people), **values)  # type: ignore[arg-type]


def draw_evening(
    lots: random.Random, most: int
) -> tuple[list[HallMatch], list[HallTable], EveningTimes, list[Booking]]:
    """Return matches of two or four people, tables of two rooms, times, and matches that are under way."""
    tables = [
        HallTable(number, "A", lots.choice((0, 2, 4)), frozenset(lots.choice(((), (), ("x",)))))
        for number in range(1, lots.randint(2, 9))
    ]
    people = lots.randint(4, 30)
    matches = [
        HallMatch(
            key,
            frozenset(lots.sample(range(people), size)),
            lots.choice("xy"),
            lots.choice((0, size)),
            lots.randint(0, 3),
        )
        for key in range(lots.randint(0, most))
        for size in [lots.choice((2, 2, 2, 4))]
    ]
    times = EveningTimes(100, 100 + lots.choice((90, 300, 1500)), lots.choice((7, 20, 45)), lots.choice((0, 0, 5, 60)))
    under_way = [
        Booking(pair(1000 + table.number, lots.randrange(people), 99), table.number, 80, lots.randint(90, 130))
        for table in tables
        if lots.random() < 0.2
    ][:1]
    return matches, tables, times, under_way


def assert_rules(
    plan: EveningPlan, matches: list[HallMatch], tables: list[HallTable], times: EveningTimes, fixed: list[Booking]
) -> None:
    """Hold a plan to its rules, minute by minute."""
    by_number = {table.number: table for table in tables}
    keys = [one.match.key for one in plan.bookings] + [one.match.key for one in plan.left_out]
    assert sorted(keys) == sorted(match.key for match in matches)
    busy: set[tuple[str, int, int]] = set()
    for one in [*fixed, *plan.bookings]:
        claims = [("table", one.table, minute) for minute in range(one.start, one.end)]
        claims += [
            ("person", who, minute) for who in one.match.people for minute in range(one.start, one.end + times.rest)
        ]
        assert busy.isdisjoint(claims), one
        busy |= set(claims)
    for one in plan.bookings:
        assert times.start <= one.start
        assert one.end == one.start + times.length <= times.end
        assert by_number[one.table].suits(one.match)
    assert plan.ends == max([times.start, *(one.end for one in plan.bookings)])
    if not plan.left_out:
        assert plan.bound <= plan.ends
    for left in plan.left_out:
        suited = [table for table in tables if table.suits(left.match)]
        assert (left.reason == "no_table") == (not suited)
        if left.reason == "person":
            assert left.person in left.match.people
            assert left.matches == sum(
                left.person in match.people for match in matches if match.key in playable(matches, tables)
            )
        assert (left.until > times.end) == (left.reason in ("person", "tables"))


def playable(matches: list[HallMatch], tables: list[HallTable]) -> set[int]:
    return {match.key for match in matches if any(table.suits(match) for table in tables)}


def test_drawn_evenings_keep_the_rules() -> None:
    """Nobody plays twice at once or without the rest, no table has two, and what is left out has a reason."""
    lots, reasons = random.Random(51), set()
    for _draw in range(25):
        matches, tables, times, fixed = draw_evening(lots, 24)
        plan = plan_evening(matches, tables, times, fixed)
        assert_rules(plan, matches, tables, times, fixed)
        assert plan == plan_evening(list(reversed(matches)), tables, times, fixed)
        found = find_conflicts([*fixed, *plan.bookings], tables, times.rest)
        assert {one.bookings[0] for one in found} <= {
            one for one in fixed if not tables[one.table - 1].suits(one.match)
        }
        reasons |= {left.reason for left in plan.left_out}
    assert reasons >= {"no_table", "person", "tables"}


def test_matches_keep_the_numbers_of_their_tables() -> None:
    """Four matches of a round: table 2 is played, one had table 4, one had 9, which is not there, and two had none."""
    tables = [HallTable(number) for number in (1, 2, 3, 4, 5)]
    matches = [pair(1, 1, 2, order=3, table=9), pair(2, 3, 4, order=3), pair(3, 5, 6, order=3, table=4), pair(4, 7, 8)]
    plan = plan_evening(matches, tables, EveningTimes(0, 60, 30), used={("", 3): {2}})
    # Match 4 is of no round, and comes first: any table does.
    assert {one.match.key: one.table for one in plan.bookings} == {4: 1, 1: 3, 3: 4, 2: 5}
    assert plan.ends == plan.bound == 30


def test_numbers_of_tables_change_no_time() -> None:
    lots = random.Random(12)
    for _draw in range(10):
        matches, tables, times, fixed = draw_evening(lots, 20)
        numbered = [replace(match, table=lots.randint(1, 9)) for match in matches]
        used = {(group, order): {lots.randint(1, 9)} for group in "xy" for order in range(4)}
        plans = plan_evening(matches, tables, times, fixed), plan_evening(numbered, tables, times, fixed, used)
        times_of = [[(one.match.key, one.start) for one in plan.bookings] for plan in plans]
        assert sorted(times_of[0]) == sorted(times_of[1])


def find_least_end(matches: list[HallMatch], tables: int) -> int:
    """Return how many slots are needed, by trying every slot for every match."""

    def fits(left: list[HallMatch], slots: list[list[HallMatch]]) -> bool:
        if not left:
            return True
        for slot in slots:
            if len(slot) < tables and all(left[0].people.isdisjoint(other.people) for other in slot):
                slot.append(left[0])
                if fits(left[1:], slots):
                    return True
                slot.pop()
        return False

    return next(count for count in range(1, len(matches) + 1) if fits(matches, [[] for _slot in range(count)]))


def test_few_matches_against_every_plan() -> None:
    """The bound is never later than the best plan, and plans of a few matches are the best."""
    lots = random.Random(7)
    for _draw in range(60):
        count, tables = lots.randint(1, 7), lots.randint(1, 3)
        matches = [pair(key, *lots.sample(range(5), 2), order=lots.randint(0, 1)) for key in range(count)]
        plan = plan_evening(matches, [HallTable(number) for number in range(1, tables + 1)], EveningTimes(0, 600, 10))
        least = 10 * find_least_end(matches, tables)
        assert plan.bound <= least == plan.ends


def count_most(matches: list[HallMatch], tables: int, slots: int) -> int:
    """Return how many matches fit, by trying every slot and none for every match."""

    def place(left: list[HallMatch], taken: list[list[HallMatch]]) -> int:
        if not left:
            return sum(map(len, taken))
        most = place(left[1:], taken)
        for slot in taken:
            if len(slot) < tables and all(left[0].people.isdisjoint(other.people) for other in slot):
                slot.append(left[0])
                most = max(most, place(left[1:], taken))
                slot.pop()
        return most

    return place(matches, [[] for _slot in range(slots)])


def test_short_evenings_against_every_plan() -> None:
    """Of a few matches as many are placed as fit, although the ones with most to play are in each other's way."""
    some = [pair(1, 1, 2), pair(2, 1, 3), pair(3, 2, 4)]
    plan = plan_evening(some, [HallTable(1), HallTable(2)], EveningTimes(0, 60, 60))
    assert {one.match.key for one in plan.bookings} == {2, 3}
    lots = random.Random(4)
    for _draw in range(40):
        tables, slots, people = lots.randint(1, 3), lots.randint(1, 3), lots.randint(4, 8)
        matches = [pair(key, *lots.sample(range(people), 2)) for key in range(lots.randint(2, 7))]
        hall = [HallTable(number) for number in range(1, tables + 1)]
        plan = plan_evening(matches, hall, EveningTimes(0, slots * 10, 10))
        assert len(plan.bookings) == count_most(matches, tables, slots)


def test_sixty_matches_on_eight_tables() -> None:
    """A round robin of 16 on 8 tables takes its 15 rounds; 60 of its matches take no longer than they must."""
    every = [pair(key, *two) for key, two in enumerate(combinations(range(16), 2))]
    tables = [HallTable(number) for number in range(1, 9)]
    assert plan_evening(every, tables, EveningTimes(0, 900, 30)).ends == 15 * 30
    lots = random.Random(60)
    plan = plan_evening(lots.sample(every, 60), tables, EveningTimes(0, 900, 30))
    assert plan.ends == plan.bound
    rounds = [pair(at * 8 + key, *two, order=at) for at in range(7) for key, two in enumerate(((0, 1), (2, 3)))]
    plan = plan_evening(rounds, tables, EveningTimes(0, 900, 30))
    assert [one.match.order for one in plan.bookings] == sorted(match.order for match in rounds)


def test_what_cannot_be_planned_is_named() -> None:
    """Who has too many matches, which tables are too few, what suits no table, and what no try found."""
    tables = [HallTable(1, seats=2), HallTable(2, seats=2)]
    hours = EveningTimes(0, 120, 60)
    plan = plan_evening([pair(key, 1, 10 + key) for key in range(3)], tables, hours)
    (left,) = plan.left_out
    assert (left.reason, left.person, left.matches, left.until) == ("person", 1, 3, 180)
    plan = plan_evening([pair(key, 10 * key, 10 * key + 1) for key in range(5)], tables, hours)
    (left,) = plan.left_out
    assert (left.match.key, left.reason, left.matches, left.until) == (4, "tables", 5, 180)
    plan = plan_evening([pair(1, 1, 2, 3, 4, seats=4), pair(2, group="other")], tables, hours)
    assert [(left.match.key, left.reason) for left in plan.left_out] == [(1, "no_table")]
    # Each of three meets each other: one after the other, although each has but two.
    plan = plan_evening([pair(1, 1, 2), pair(2, 2, 3), pair(3, 1, 3)], tables, hours)
    assert [left.reason for left in plan.left_out] == ["none_found"]
    assert plan_evening([], tables, hours) == EveningPlan((), (), 0, 0)


def test_what_is_under_way_stays() -> None:
    """A table is free when its match ends, and so are its players after their rest."""
    under_way = Booking(pair(9, 1, 2), 1, 80, 115)
    elsewhere = Booking(pair(8, 7, 8), 77, 80, 110)
    tables = [HallTable(1), HallTable(2)]
    matches = [pair(1, 1, 3), pair(2, 5, 6), pair(3, 3, 4), pair(4, 7, 9)]
    plan = plan_evening(matches, tables, EveningTimes(100, 400, 30, 10), [under_way, elsewhere])
    assert {one.match.key: (one.table, one.start) for one in plan.bookings} == {
        3: (2, 100), 2: (1, 115), 4: (2, 130), 1: (1, 145),
    }  # fmt: skip
    assert_rules(plan, matches, tables, EveningTimes(100, 400, 30, 10), [under_way, elsewhere])


@pytest.mark.parametrize(
    ("bookings", "expected"),
    [
        ([(1, (1, 2), 1, 0), (2, (3, 4), 1, 30)], [("table", (1, 2), 0)]),
        ([(1, (1, 2), 1, 0), (2, (2, 4), 2, 30)], [("person", (1, 2), 2)]),
        ([(1, (1, 2), 1, 0), (2, (2, 4), 2, 65)], [("rest", (1, 2), 2)]),
        ([(1, (1, 2), 1, 0), (2, (2, 4), 2, 70)], []),
        ([(1, (1, 2), 7, 0)], [("unknown_table", (1,), 0)]),
        ([(1, (1, 2, 3), 2, 0)], [("unsuitable", (1,), 0)]),
    ],
)
def test_conflicts_are_named(
    bookings: list[tuple[int, tuple[int, ...], int, int]], expected: list[tuple[str, tuple[int, ...], int]]
) -> None:
    """Tables and people, with the bookings that they concern; a match takes an hour, the rest is ten minutes."""
    tables = [HallTable(1), HallTable(2, seats=2)]
    some = [
        Booking(pair(key, *people, seats=len(people)), table, start, start + 60)
        for key, people, table, start in bookings
    ]
    found = find_conflicts(some, tables, 10)
    assert [(one.kind, tuple(each.match.key for each in one.bookings), one.person) for one in found] == expected


def test_a_long_match_conflicts_with_all_that_begin_within_it() -> None:
    long, short, late = (
        Booking(pair(key, key * 2, key * 2 + 1), 1, start, end)
        for key, start, end in ((1, 0, 90), (2, 10, 20), (3, 30, 40))
    )
    found = find_conflicts([late, short, long], [HallTable(1)])
    assert [tuple(one.match.key for one in conflict.bookings) for conflict in found] == [(1, 2), (1, 3)]


def test_next_matches_of_free_tables() -> None:
    """The first waiting matches whose people are free begin: at the table they were planned at, if it is free."""
    free = [HallTable(3, seats=2), HallTable(5), HallTable(6)]
    waiting = [
        pair(1, 1, 2, seats=2), pair(2, 3, 4, 5, 6, seats=4), pair(3, 3, 9, seats=2), pair(4, 7, 8, seats=2),
        pair(5, 10, 11, seats=2), pair(6, 12, 13, seats=2),
    ]  # fmt: skip
    called = choose_next(waiting, free, {1})
    assert [(table.number, match.key) for table, match in called] == [(3, 4), (5, 2), (6, 5)]
    called = choose_next(waiting, free, {1}, {4: 6, 5: 5})
    assert [(table.number, match.key) for table, match in called] == [(3, 5), (5, 2), (6, 4)]
    assert choose_next(waiting, [], set()) == []
