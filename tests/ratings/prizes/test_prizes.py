"""Prizes: lists worked out by hand, and drawn ones against what the rules say of them."""

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import pytest

from ratings.standings.prizes import SHARINGS, Awards, Prize, PrizeList, RankedEntry, Sharing, award_prizes

EURO = 100
#: Place by place: entry, rank, points. 2, 3 and 4 have 6 points; no tie-break separates 5 and 6.
FIELD = [(1, 1, 7), (2, 2, 6), (3, 3, 6), (4, 4, 6), (5, 5, 5), (6, 5, 5), (7, 7, 3)]
RANKED = [RankedEntry(entry, rank, Fraction(points)) for entry, rank, points in FIELD]
MAIN = PrizeList("", (Prize(300 * EURO), Prize(200 * EURO), Prize(100 * EURO)))


def money(awards: Awards, category: str = "") -> dict[int, float]:
    """Return entry -> whole euros and cents of a list."""
    return {award.entry: award.amount / EURO for award in awards.awards if award.category == category}


@pytest.mark.parametrize(
    ("sharing", "wanted"),
    [
        ("place", {1: 300, 2: 200, 3: 100}),
        # The prizes of places 2, 3 and 4 are 200, 100 and 0: 100 each.
        ("equal", {1: 300, 2: 100, 3: 100, 4: 100}),
        # Half by place (100, 50, 0), and half of 300 in three parts (50 each).
        ("hort", {1: 300, 2: 150, 3: 100, 4: 50}),
    ],
)
def test_equal_points_share_as_the_rules_say(sharing: Sharing, wanted: dict[int, float]) -> None:
    assert money(award_prizes(RANKED, {}, [MAIN], sharing)) == wanted


def test_cents_that_are_left_go_to_the_best_and_nothing_is_lost() -> None:
    prizes = PrizeList("", (Prize(0), Prize(100 * EURO)))
    shared = award_prizes(RANKED[1:], {}, [PrizeList("", (Prize(100 * EURO),))], "equal")
    assert money(shared) == {2: 33.34, 3: 33.33, 4: 33.33}
    assert [award.shared_by for award in shared.awards] == [3, 3, 3]
    # By Hort: half of 1.01 by place is 0.505; the other half in three parts 0.168333; in all 0.673333 and twice 0.16…
    hort = award_prizes(RANKED[1:], {}, [PrizeList("", (Prize(101),))], "hort")
    assert money(hort) == {2: 0.68, 3: 0.17, 4: 0.16}
    assert money(award_prizes(RANKED, {}, [prizes], "place")) == {2: 100}


def test_those_whom_no_tie_break_separates_share_money_by_places_too_and_a_lot_decides_the_thing() -> None:
    prizes = PrizeList("five", (Prize(50 * EURO, "Cup"), Prize(20 * EURO)))
    awards = award_prizes(RANKED, {"five": [5, 6, 7]}, [prizes])
    assert money(awards, "five") == {5: 35, 6: 35}
    assert [(award.entry, award.thing, award.undecided) for award in awards.awards] == [(5, "Cup", True), (6, "", True)]
    alike = award_prizes(RANKED, {"five": [5, 6]}, [PrizeList("five", (Prize(0, "Book"), Prize(0, "Book")))])
    assert [award.undecided for award in alike.awards] == [False, False]


def test_one_prize_a_person_is_the_one_that_gives_most_and_others_move_up() -> None:
    lists = [MAIN, PrizeList("women", (Prize(150 * EURO), Prize(50 * EURO))), PrizeList("u16", (Prize(150 * EURO),))]
    members = {"women": [3, 5], "u16": [3, 1]}
    # By places 3 would get 100, but 150 in the earlier list of two with 150; 4 moves up, and u16 goes to nobody else.
    awards = award_prizes(RANKED, members, lists)
    assert money(awards) == {1: 300, 2: 200, 4: 100}
    assert money(awards, "women") == {3: 150, 5: 50}
    assert money(awards, "u16") == {}
    assert awards.unwon == (("u16", 1, "taken"),)
    both = award_prizes(RANKED, members, lists, one_each=False)
    assert (money(both), money(both, "women"), money(both, "u16")) == (
        {1: 300, 2: 200, 3: 100}, {3: 150, 5: 50}, {1: 150},
    )  # fmt: skip


def test_shares_are_counted_again_when_somebody_takes_another_prize() -> None:
    pair = [RankedEntry(1, 1, Fraction(5)), RankedEntry(2, 2, Fraction(5)), RankedEntry(3, 3, Fraction(4))]
    women = PrizeList("women", (Prize(230 * EURO),))
    # By Hort 1 would get 275 and 2 would get 225: 2 takes 230, so 1 has first place alone, and 3 the second.
    awards = award_prizes(pair, {"women": [2]}, [MAIN, women], "hort")
    assert (money(awards), money(awards, "women")) == ({1: 300, 3: 200}, {2: 230})
    # Of equal amounts the whole competition comes first.
    awards = award_prizes(pair, {"women": [2, 3]}, [MAIN, PrizeList("women", (Prize(250 * EURO),))], "equal")
    assert (money(awards), money(awards, "women")) == ({1: 250, 2: 250}, {3: 250})


def test_things_come_after_all_money_and_then_list_by_list() -> None:
    lists = [
        PrizeList("", (Prize(0, "Cup"), Prize(0, "Clock"))),
        PrizeList("u16", (Prize(500, "Medal"), Prize(0, "Book"))),
    ]
    awards = award_prizes(RANKED, {"u16": [1, 2, 4]}, lists)
    found = [(award.category, award.entry, award.thing) for award in awards.awards]
    # 1 takes the money with the medal; then the cup and the clock of the first list, then the book.
    assert found == [("", 2, "Cup"), ("", 3, "Clock"), ("u16", 1, "Medal"), ("u16", 4, "Book")]


def test_a_prize_that_nobody_can_win_is_named_with_the_reason() -> None:
    lists = [MAIN, PrizeList("nobody", (Prize(100),)), PrizeList("pair", (Prize(40), Prize(30), Prize(20)))]
    awards = award_prizes(RANKED, {"nobody": [], "pair": [1, 7]}, lists)
    assert awards.unwon == (("nobody", 1, "empty"), ("pair", 2, "taken"), ("pair", 3, "few"))
    assert award_prizes([], {}, [MAIN]).unwon == tuple(("", place, "empty") for place in (1, 2, 3))


def draw_field(draw: random.Random, *, ties: bool) -> tuple[list[RankedEntry], dict[str, list[int]], list[PrizeList]]:
    """Return entries with ranks, categories that overlap, and lists of prizes."""
    size = draw.randint(1, 12)
    points = sorted((draw.randint(0, 8) for _ in range(size)), reverse=True)
    ranked: list[RankedEntry] = []
    for at, value in enumerate(points):
        same = ties and ranked and ranked[-1].points == value and draw.random() < 0.3
        ranked.append(RankedEntry(size - at, ranked[-1].rank if same else at + 1, Fraction(value)))
    members = {name: [one.entry for one in ranked if draw.random() < 0.5] for name in ("a", "b", "c")}
    lists = []
    for name in ("", "a", "b", "c"):
        amounts = sorted((draw.randint(1, 9) * 7 for _ in range(draw.randint(1, 5))), reverse=True)
        lists.append(PrizeList(name, tuple(Prize(amount) for amount in amounts)))
    return ranked, members, lists


def choose_members(ranked: Sequence[RankedEntry], members: dict[str, list[int]], name: str) -> list[RankedEntry]:
    """Return those who compete for a list."""
    return [one for one in ranked if not name or one.entry in members[name]]


@pytest.mark.parametrize("seed", range(40))
def test_by_places_nobody_is_passed_over_for_a_prize_worth_more_than_the_own(seed: int) -> None:
    ranked, members, lists = draw_field(random.Random(seed), ties=False)
    awards = award_prizes(ranked, members, lists).awards
    own = {award.entry: award.amount for award in awards}
    assert len(own) == len(awards)
    given = Counter((award.category, award.amount) for award in awards)
    for one in lists:
        offered = Counter(prize.amount for prize in one.prizes)
        assert all(given[one.category, amount] <= count for amount, count in offered.items())
        order = [entry.entry for entry in choose_members(ranked, members, one.category)]
        for award in awards:
            if award.category == one.category:
                for better in order[: order.index(award.entry)]:
                    assert own.get(better, 0) >= award.amount
        for amount, count in offered.items():
            # What is not given away is worth no more to any member than what they have.
            if given[one.category, amount] < count:
                assert all(own.get(entry, 0) >= amount for entry in order)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("sharing", SHARINGS)
def test_shared_money_adds_up_to_the_prizes_of_the_places(seed: int, sharing: Sharing) -> None:
    ranked, members, lists = draw_field(random.Random(seed), ties=True)
    for one_each in (False, True):
        found = award_prizes(ranked, members, lists, sharing, one_each=one_each)
        if one_each:
            assert max(Counter(award.entry for award in found.awards).values()) == 1
        for one in lists:
            lost = {place for name, place, _reason in found.unwon if name == one.category}
            wanted = sum(prize.amount for place, prize in enumerate(one.prizes, start=1) if place not in lost)
            assert sum(award.amount for award in found.awards if award.category == one.category) == wanted


@pytest.mark.parametrize("seed", range(40))
def test_hort_is_the_mean_of_both_ways_to_share(seed: int) -> None:
    ranked, members, lists = draw_field(random.Random(seed), ties=True)
    place, equal, hort = (
        {(award.category, award.entry): award.amount for award in found.awards}
        for found in (award_prizes(ranked, members, lists, way, one_each=False) for way in SHARINGS)
    )
    for key in {*place, *equal, *hort}:
        assert abs(hort.get(key, 0) - (place.get(key, 0) + equal.get(key, 0)) / 2) <= 2
