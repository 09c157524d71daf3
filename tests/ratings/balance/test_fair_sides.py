"""Fair sides against a comparison of every split in plain Python, and what they never break."""

import math
import random
from itertools import combinations, pairwise, permutations

import pytest

from ratings.balance.judging import NoExpectation
from ratings.balance.sides import BestSplits, NoSplit, SidePlayer, SideSplit, find_best_splits
from ratings.contract.system import RatingSystem
from ratings.registry import load_systems

TEN = (700, 783, 843, 953, 1100, 1253, 1360, 1593, 1904, 2599)
ELO, TRUESKILL = load_systems()["elo"](), load_systems()["trueskill"]()


def people(ratings: tuple[float, ...] | list[float], *others: float) -> list[SidePlayer]:
    """Return players "a", "b" … with these ratings."""
    return [SidePlayer(chr(97 + index), (float(rating), *others)) for index, rating in enumerate(ratings)]


def list_all_splits(keys: str, sizes: tuple[int, ...]) -> list[tuple[frozenset[str], ...]]:
    """Return every split, sides of one size in every order."""
    if not sizes:
        return [()]
    return [
        (frozenset(side), *rest)
        for side in combinations(keys, sizes[0])
        for rest in list_all_splits("".join(key for key in keys if key not in side), sizes[1:])
    ]


def expect(system: RatingSystem, one: list[tuple[float, ...]], other: list[tuple[float, ...]]) -> float:
    """Return the chance of one side by the formulas of the sources."""
    if system.key == "elo":
        means = [sum(state[0] for state in side) / len(side) for side in (one, other)]
        return 1.0 / (1.0 + math.pow(10.0, (means[1] - means[0]) / 400.0))
    beta, tau = 25.0 / 6.0, 25.0 / 300.0
    both = [*one, *other]
    c = math.sqrt(sum(state[1] ** 2 + beta**2 + tau**2 for state in both))
    difference = sum(state[0] for state in one) - sum(state[0] for state in other)
    # A tie between equal players has 10%: the quantile of 0.55, as printed in tables of the normal distribution.
    margin = 0.12566134685507402 * math.sqrt(2.0) * beta
    ahead, behind = (0.5 * math.erfc((margin - sign * difference) / c / math.sqrt(2.0)) for sign in (1, -1))
    return ahead + 0.5 * (1.0 - ahead - behind)


def judge_plainly(system: RatingSystem, states: dict[str, tuple[float, ...]], split: object) -> float:
    """Return twice the lowest expected result of a split."""
    sides = [[states[key] for key in sorted(side)] for side in split]  # type: ignore[attr-defined]
    results = [
        sum(expect(system, one, other) for other in sides if other is not one) / (len(sides) - 1) for one in sides
    ]
    return 2.0 * min(results)


def count_broken(split: tuple[frozenset[str], ...], apart: list[tuple[str, ...]]) -> int:
    return sum({one, other} <= side for wish in apart for one, other in combinations(wish, 2) for side in split)


def test_ten_ratings_are_four_points_apart() -> None:
    """The smallest difference of the sums, by all 126 splits, is 4."""
    best = find_best_splits(ELO, people(TEN), (5, 5)).splits[0]
    sums = [sum(TEN[ord(key) - 97] for key in side) for side in best.sides]
    assert abs(sums[0] - sums[1]) == 4
    assert best.ratings == tuple(total / 5 for total in sums)
    low = 1.0 / (1.0 + 10.0 ** (0.8 / 400.0))
    assert best.expected == pytest.approx((low, 1.0 - low))
    assert best.quality == pytest.approx(2.0 * low)


@pytest.mark.parametrize("system", [ELO, TRUESKILL], ids=["elo", "trueskill"])
@pytest.mark.parametrize("seed", range(6))
def test_the_best_splits_are_those_of_a_comparison_of_all(system: RatingSystem, seed: int) -> None:
    lots = random.Random(seed)
    sizes = lots.choice([(2, 2), (3, 2), (3, 3), (2, 4), (4, 4), (2, 2, 2), (3, 2, 2), (1, 2, 3), (2, 2, 2, 1)])
    middle, spread = (1500.0, 250.0) if system.key == "elo" else (25.0, 6.0)
    deviation = () if system.key == "elo" else (lots.uniform(1.0, 8.0),)
    players = people([lots.gauss(middle, spread) for _ in range(sum(sizes))], *deviation)
    keys = "".join(player.key for player in players)
    together = [tuple(lots.sample(keys, 2))] if max(sizes) > 1 and lots.random() < 0.5 else []
    free = [key for key in keys if not any(key in party for party in together)]
    apart = [tuple(lots.sample(free, min(3, len(free)))) for _ in range(lots.randrange(3))]
    states = {player.key: player.state for player in players}
    kept = [
        split
        for split in list_all_splits(keys, sizes)
        if all(any(set(party) <= side for side in split) for party in together)
    ]
    marks = {split: (count_broken(split, apart), -judge_plainly(system, states, split)) for split in kept}
    different = {frozenset((len(side), side) for side in split): mark for split, mark in marks.items()}
    wanted = sorted(different.values())[:3]

    answer = find_best_splits(system, players, sizes, together=together, apart=apart, count=3)

    assert answer.exact
    found = [tuple(frozenset(side) for side in split.sides) for split in answer.splits]
    assert [tuple(map(len, split)) for split in found] == [sizes] * len(found)
    assert [count_broken(split, apart) for split in found] == [broken for broken, _ in wanted]
    assert [split.quality for split in answer.splits] == pytest.approx([-quality for _, quality in wanted], abs=1e-9)
    assert [judge_plainly(system, states, split) for split in found] == pytest.approx(
        [-quality for _, quality in wanted], abs=1e-9
    )
    assert answer.bound == answer.splits[0].quality


def test_each_split_is_listed_once() -> None:
    """Ten people have 126 pairs of five, six have 15 triples of pairs, and five ten ways for three and two."""
    for sizes, wanted in (((5, 5), 126), ((2, 2, 2), 15), ((3, 2), 10), ((2, 3), 10)):
        answer = find_best_splits(ELO, people(TEN[: sum(sizes)]), sizes, count=1000)
        assert len({frozenset(map(frozenset, split.sides)) for split in answer.splits}) == wanted
        assert len(answer.splits) == wanted


def test_the_order_of_the_request_changes_nothing() -> None:
    players = people([1500, 1500, 1500, 1600, 1400, 1700, 1300, 1500])
    parties, wishes = [("a", "d"), ("b", "f")], [("a", "b", "c"), ("g", "h")]

    def ask(lots: random.Random) -> BestSplits:
        return find_best_splits(
            ELO,
            lots.sample(players, len(players)),
            (4, 4),
            together=lots.sample([tuple(lots.sample(party, 2)) for party in parties], 2),
            apart=lots.sample([tuple(lots.sample(wish, len(wish))) for wish in wishes], 2),
            count=5,
        )

    first = ask(random.Random(0))
    assert all(ask(random.Random(seed)) == first for seed in range(1, 20))


def test_equal_people_may_sit_anywhere_and_the_answer_is_one() -> None:
    answers = {
        find_best_splits(ELO, [SidePlayer(key, (1500.0,)) for key in order], (2, 2)).splits
        for order in permutations("abcd")
    }
    ((split,),) = answers
    assert (split.expected, split.quality) == ((0.5, 0.5), 1.0)


def test_parties_that_share_a_person_are_one() -> None:
    answer = find_best_splits(ELO, people(TEN[:6]), (3, 3), together=[("a", "f"), ("f", "e")], count=9)
    assert [set(split.sides[0]) for split in answer.splits] == [{"a", "e", "f"}]


@pytest.mark.parametrize(
    ("sizes", "together"),
    [
        ((2, 2), [("a", "b", "c")]),
        ((3, 3), [("a", "b"), ("c", "d"), ("e", "f")]),
        ((4, 2), [("a", "b", "c"), ("d", "e", "f")]),
        ((8, 8, 8), [tuple("abcde"), tuple("fghij"), tuple("klmno"), tuple("pqrst")]),
    ],
)
def test_parties_that_do_not_fit_are_refused(sizes: tuple[int, ...], together: list[tuple[str, ...]]) -> None:
    with pytest.raises(NoSplit):
        find_best_splits(ELO, people([1500] * sum(sizes)), sizes, together=together)


def test_a_wish_that_cannot_be_kept_is_named() -> None:
    """Of three people on two sides two sit together; c is alone, as that leaves the sides most even."""
    best = find_best_splits(ELO, people([1500, 1500, 1900, 1100]), (2, 2), apart=[("a", "b", "d")]).splits[0]
    assert len(best.broken) == 1
    assert len(best.broken[0]) == 2
    assert any(set(best.broken[0]) <= set(side) for side in best.sides)


def test_the_swap_is_the_exchange_that_changes_most() -> None:
    """By every exchange of two people of different sides."""
    states = {player.key: player.state for player in people(TEN)}
    best = find_best_splits(ELO, people(TEN), (5, 5)).splits[0]
    one, other = (set(side) for side in best.sides)
    changed = {}
    for left, right in ((left, right) for left in one for right in other):
        sides = [[states[key] for key in side] for side in (one - {left} | {right}, other - {right} | {left})]
        changed[frozenset((left, right))] = expect(ELO, *sides)
    wanted = max(changed, key=lambda pair: abs(changed[pair] - best.expected[0]))
    assert best.swap is not None
    assert frozenset(best.swap.players) == wanted
    assert best.swap.expected == pytest.approx((changed[wanted], 1.0 - changed[wanted]))
    assert best.swap.quality == pytest.approx(2.0 * min(best.swap.expected))


def test_a_swap_keeps_parties_and_wishes() -> None:
    """With parties everywhere nobody may be exchanged; and no exchange puts together whom a wish sets apart."""
    split = find_best_splits(ELO, people(TEN[:4]), (2, 2), together=[("a", "d"), ("b", "c")]).splits[0]
    assert split.swap is None
    split = find_best_splits(ELO, people([1500] * 4), (2, 2), apart=[("a", "b"), ("c", "d")]).splits[0]
    assert split.swap is not None
    assert set(split.swap.players) in ({"a", "b"}, {"c", "d"})
    split = find_best_splits(ELO, people([1600, 1500, 1400]), (2, 1), apart=[("a", "b"), ("b", "c")]).splits[0]
    assert split.sides == (("a", "c"), ("b",))
    assert split.swap is None


@pytest.mark.parametrize("sizes", [(12, 12), (6, 6, 6), (3,) * 6, (9, 8, 7)])
def test_what_is_too_much_to_compare_has_a_bound(sizes: tuple[int, ...]) -> None:
    """Neither any exchange of two nor a drawn split is better; parties are kept and wishes too."""
    lots = random.Random(sum(sizes) + len(sizes))
    players = people([lots.gauss(1500, 200) for _ in range(sum(sizes))])
    together, apart = [("a", "b")], [("c", "d"), ("e", "f")]
    answer = find_best_splits(ELO, players, sizes, together=together, apart=apart, count=3)
    assert not answer.exact
    assert answer.bound == 1.0
    states = {player.key: player.state for player in players}
    best = answer.splits[0]
    assert len({frozenset(map(frozenset, split.sides)) for split in answer.splits}) == 3
    assert [len(side) for side in best.sides] == list(sizes)
    assert any({"a", "b"} <= set(side) for side in best.sides)
    assert best.broken == ()
    assert best.quality == pytest.approx(judge_plainly(ELO, states, best.sides))
    keys = [player.key for player in players]
    for _ in range(200):
        lots.shuffle(keys)
        ends = [sum(sizes[:at]) for at in range(len(sizes) + 1)]
        drawn = [keys[start:end] for start, end in pairwise(ends)]
        assert judge_plainly(ELO, states, drawn) <= best.quality + (1e-9 if len(sizes) < 6 else 0.05)
    again = find_best_splits(ELO, players[::-1], sizes, together=together, apart=apart, count=3)
    assert again == answer


def test_one_far_ahead_leaves_the_nearest_sides() -> None:
    """Where every chance is 0 or 1 to the last bit, the strongest still gets the weakest partner."""
    best = find_best_splits(ELO, people([900_000, 3, 2, 1]), (2, 2)).splits[0]
    assert best.sides == (("a", "d"), ("b", "c"))
    assert best.quality == 0.0


@pytest.mark.parametrize("key", sorted(load_systems()))
def test_systems_without_sides_expect_nothing_of_them(key: str) -> None:
    system = load_systems()[key]()
    players = [SidePlayer(name, tuple(system.start())) for name in "abcd"]
    if not system.sides:
        with pytest.raises(NoExpectation):
            find_best_splits(system, players, (2, 2))
        return
    split: SideSplit = find_best_splits(system, players, (2, 2)).splits[0]
    assert split.expected == pytest.approx((0.5, 0.5))


def test_a_system_must_say_what_sides_expect() -> None:
    class Silent(type(ELO)):  # type: ignore[misc]  # a system that rates sides without predicting them
        def expected_of_pairs(self, mine: object, theirs: object) -> None:
            return None

    class Apart(type(ELO)):  # type: ignore[misc]  # as above
        def as_one(self, sides: object) -> None:
            return None

    for system in (Silent(), Apart()):
        with pytest.raises(NoExpectation):
            find_best_splits(system, people([1500] * 4), (2, 2))
