"""Divisions: sizes, who rises and falls, and where everyone plays, by hand and over drawn seasons."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from ratings.seasons.borders import FinalDivision, FinalPlace, PlayOff, find_moves, find_play_offs, find_zones
from ratings.seasons.divisions import (
    Applicant,
    HandMove,
    Placement,
    find_breaks,
    find_open_play_offs,
    list_divisions,
    propose_divisions,
)
from ratings.seasons.quotas import count_quota
from ratings.seasons.rules import DivisionRule
from ratings.seasons.sizes import count_divisions, list_levels, list_sizes


def build_division(level: int, letter: str, players: str, **changed: FinalPlace) -> FinalDivision:
    """Return a division whose players have one letter each, the best first, a point less each, and five games."""
    places = [FinalPlace(player, rank, Fraction(len(players) - rank), 5) for rank, player in enumerate(players, 1)]
    return FinalDivision(level, letter, tuple(changed.get(place.player, place) for place in places))


def propose(rule: DivisionRule, divisions: Sequence[FinalDivision], players: str) -> dict[str, str]:
    """Return division -> its players in their order, for applicants with one letter each."""
    seats = propose_divisions(rule, divisions, [Applicant(player) for player in players], "lot")
    return {
        f"{level}{letter}": "".join(seat.player for seat in members) for level, letter, members in list_divisions(seats)
    }


@pytest.mark.parametrize(
    ("share", "counts"),
    [
        ("1/6", (1, 1, 3, 3, 3, 4)),
        ("N/6", (1, 1, 3, 3, 3, 4)),
        ("1/5", (1, 2, 3, 3, 4, 4)),
        ("(N+1)/5", (2, 2, 3, 4, 4, 5)),
        ("1/3", (2, 2, 5, 5, 6, 7)),
    ],
)
def test_shares_are_rounded_up(share: str, counts: tuple[int, ...]) -> None:
    """The numbers for divisions of 5, 6, 13, 15, 17 and 20 that the sums give."""
    assert tuple(count_quota({"share": share}, size) for size in (5, 6, 13, 15, 17, 20)) == counts


@pytest.mark.parametrize(
    ("players", "before", "count"),
    [
        (23, None, 4), (3, None, 1), (1, None, 1), (8, None, 1), (9, None, 2), (10, None, 2), (15, None, 3),
        # A fifth division only at 30 players, a third again only at 18 + 3.
        (29, 4, 4), (30, 4, 5), (22, 4, 4), (21, 4, 3), (36, 4, 6), (3, 4, 1),
    ],
)  # fmt: skip
def test_number_of_divisions_does_not_follow_every_player(players: int, before: int | None, count: int) -> None:
    """Divisions of six are added at (n + 1) times 6 and dissolved at (n - 1) times 6 and 3."""
    assert count_divisions(DivisionRule(target_size=6), players, before) == count


def test_no_division_is_smaller_than_the_smallest() -> None:
    """Nine players in divisions of six with at least five each are one division."""
    assert count_divisions(DivisionRule(target_size=6, smallest=5), 9) == 1


def test_lower_divisions_get_the_surplus() -> None:
    """23 players in four divisions."""
    assert list_sizes(23, 4) == [5, 6, 6, 6]
    assert list_levels(DivisionRule(parallel=2), 6) == [1, 2, 2, 1]


def test_as_many_rise_as_fall() -> None:
    """Two up and two down between three divisions of six."""
    divisions = [build_division(1, "", "abcdef"), build_division(2, "", "ghijkl"), build_division(3, "", "mnopqr")]
    moves = find_moves(DivisionRule(up={"number": 2}), divisions, "lot")
    assert moves == {"g": -1, "h": -1, "m": -1, "n": -1, "e": 1, "f": 1, "k": 1, "l": 1}
    zones = find_zones(DivisionRule(up={"number": 2}), divisions, "lot")
    assert [zones[player] for player in "abefghijkl"] == [
        "champion", "stays", "down", "down", "up", "up", "stays", "stays", "down", "down",
    ]  # fmt: skip


def test_the_smaller_of_both_numbers_counts() -> None:
    """A third of fifteen would fall, a third of five may rise: two do."""
    divisions = [build_division(1, "", "abcdefghijklmno"), build_division(2, "", "pqrst")]
    moves = find_moves(DivisionRule(up={"share": "1/3"}), divisions, "lot")
    assert moves == {"p": -1, "q": -1, "n": 1, "o": 1}


def test_those_next_to_the_borders_play_off() -> None:
    """One up, one down and one play-off: the second of each lower level meets the last but one above."""
    divisions = [build_division(1, "", "abcdef"), build_division(2, "", "ghijkl"), build_division(3, "", "mnopqr")]
    rule = DivisionRule(up={"number": 1}, play_off={"number": 1})
    moves = find_moves(rule, divisions, "lot")
    assert find_play_offs(rule, divisions, moves, "lot") == [PlayOff("e", "h"), PlayOff("k", "n")]
    zones = find_zones(rule, divisions, "lot")
    assert [zones[player] for player in "adefghijklmno"] == [
        "champion", "stays", "play_down", "down", "up", "play_off", "stays", "stays", "play_down", "down",
        "up", "play_off", "stays",
    ]  # fmt: skip
    # Two at each border: the best of the lower level meets the one who stands lowest above.
    two = DivisionRule(up={"number": 1}, play_off={"number": 2})
    assert find_play_offs(two, divisions, moves, "lot")[:2] == [PlayOff("e", "h"), PlayOff("d", "i")]


def test_nobody_who_withdrew_plays_off_and_nobody_twice() -> None:
    """Who withdrew and does not fall is passed over; at most half of a division crosses each of its borders."""
    gone = FinalPlace("c", 3, Fraction(1), 5, withdrawn=True)
    late = FinalPlace("d", 4, Fraction(0), 5, withdrawn=True)
    divisions = [build_division(1, "", "abcd", c=gone, d=late), build_division(2, "", "efgh")]
    rule = DivisionRule(up={"number": 1}, play_off={"number": 1}, target_size=4)
    # The last one falls; the third one withdrew, too, so that the second one plays off.
    moves = find_moves(rule, divisions, "lot")
    assert moves == {"e": -1, "d": 1}
    assert find_play_offs(rule, divisions, moves, "lot") == [PlayOff("b", "f")]
    # Of a middle division of two, one may rise and one fall: nobody is left to play off.
    three = [build_division(1, "", "ab"), build_division(2, "", "cd"), build_division(3, "", "ef")]
    moves = find_moves(rule, three, "lot")
    assert moves == {"c": -1, "b": 1, "e": -1, "d": 1}
    assert find_play_offs(rule, three, moves, "lot") == []


def test_the_winner_of_a_play_off_plays_in_the_upper_level() -> None:
    """Won from below, won from above, not decided, and one that the rule of the new season has settled."""
    rule = DivisionRule(up={"number": 1}, play_off={"number": 1})
    applicants = [Applicant(player) for player in "abcdefghijkl"]

    def play(winner: str | None) -> dict[str, tuple[int, str, str]]:
        seats = propose_divisions(rule, TWELVE, applicants, "lot", {}, [PlayOff("e", "h", winner)])
        assert find_breaks(rule, seats) == []
        return {seat.player: (seat.level, seat.why, seat.explain()) for seat in seats if seat.player in "eh"}

    assert play("h") == {
        "h": (1, "promoted", "Place 2 in division 2: rises, as the play-off was won."),
        "e": (2, "relegated", "Place 5 in division 1: falls, as the play-off was lost."),
    }
    assert play("e") == {
        "e": (1, "stayed", "Place 5 in division 1: stays, as the play-off was won."),
        "h": (2, "stayed", "Place 2 in division 2: stays, as the play-off was lost."),
    }
    assert play(None) == {
        "e": (1, "stayed", "Place 5 in division 1: stays, as the play-off is not decided."),
        "h": (2, "stayed", "Place 2 in division 2: stays, as the play-off is not decided."),
    }
    open_ones = find_open_play_offs(
        [PlayOff("e", "h"), PlayOff("z", "i"), PlayOff("d", "j", "d")],
        propose_divisions(rule, TWELVE, applicants, "lot"),
    )
    assert [(one.code, one.explain()) for one in open_ones] == [
        ("play_off_open", "The play-off of e and h is not decided: both keep their levels.")
    ]
    settled = DivisionRule(up={"number": 2})
    seats = propose_divisions(settled, TWELVE, applicants, "lot", {}, [PlayOff("e", "h", "e")])
    assert {seat.player: (seat.level, seat.why) for seat in seats if seat.player in "eh"} == {
        "h": (1, "promoted"), "e": (2, "relegated"),
    }  # fmt: skip


def test_who_did_not_play_enough_lets_the_next_one_rise() -> None:
    """The first two of the lower division played too little or withdrew."""
    idle = FinalPlace("g", 1, Fraction(5), 2)
    gone = FinalPlace("h", 2, Fraction(4), 5, withdrawn=True)
    divisions = [build_division(1, "", "abcdef"), build_division(2, "", "ghijkl", g=idle, h=gone)]
    moves = find_moves(DivisionRule(up={"number": 2}, min_played=3), divisions, "lot")
    assert moves == {"i": -1, "j": -1, "e": 1, "f": 1}


def test_who_withdrew_falls_first() -> None:
    """The leader withdrew: the leader and the last one fall."""
    gone = FinalPlace("a", 1, Fraction(5), 5, withdrawn=True)
    divisions = [build_division(1, "", "abcdef", a=gone), build_division(2, "", "ghijkl")]
    assert find_moves(DivisionRule(up={"number": 2}), divisions, "lot") == {"g": -1, "h": -1, "a": 1, "f": 1}


def test_equals_at_a_border_are_told_apart_by_lot() -> None:
    """Of three who share place 4, the one with the lowest lot stays; the sentences say it."""
    lots = {name: hashlib.sha256(f"lot\n{name}".encode()).hexdigest() for name in "def"}
    first = min(lots, key=lambda name: lots[name])
    shared = {name: FinalPlace(name, 4, Fraction(1), 5) for name in "def"}
    divisions = [build_division(1, "", "abcdef", **shared), build_division(2, "", "ghijkl")]
    assert find_moves(DivisionRule(up={"number": 2}), divisions, "lot") == {
        "g": -1, "h": -1, **{name: 1 for name in "def" if name != first},
    }  # fmt: skip
    people = [Applicant(one) for one in "abcdefghijkl"]
    seats = propose_divisions(DivisionRule(up={"number": 2}), divisions, people, "lot")
    said = {seat.player: seat.explain() for seat in seats}
    assert said[first] == "Place 4 in division 1, shared: stays by lot."
    assert {said[name] for name in "def" if name != first} == {"Place 4 in division 1, shared: falls by lot."}
    assert said["g"] == "Place 1 in division 2: rises."


def test_parallel_divisions_feed_one_level_by_points_a_game() -> None:
    """Three rise out of two divisions: both winners, and the second with more points a game."""
    better = FinalPlace("n", 2, Fraction(4), 4)
    divisions = [
        build_division(1, "", "abcdef"),
        build_division(2, "A", "ghijkl"),
        build_division(2, "B", "mnopqr", n=better),
    ]
    rule = DivisionRule(parallel=2, up={"number": 2}, down={"number": 3})
    assert find_moves(rule, divisions, "lot") == {"g": -1, "m": -1, "n": -1, "d": 1, "e": 1, "f": 1}


def test_the_lower_lot_is_better_at_both_sides_of_a_border() -> None:
    """Of two parallel divisions that are alike, one rises and one falls: the lower lot rises, the higher one falls."""
    lots = {name: hashlib.sha256(f"lot\n{name}".encode()).hexdigest() for name in "abcdghmn"}
    level = [build_division(2, "A", "abgh"), build_division(2, "B", "cdmn")]
    above, below = build_division(1, "", "ijkl"), build_division(3, "", "opqr")
    rule = DivisionRule(parallel=2, up={"number": 1}, down={"number": 1})
    first = [build_division(1, "A", "abgh"), build_division(1, "B", "cdmn"), build_division(2, "", "opqr")]
    assert find_moves(rule, [above, *level], "lot") == {min("ac", key=lots.__getitem__): -1, "l": 1}
    assert find_moves(rule, first, "lot") == {"o": -1, max("hn", key=lots.__getitem__): 1}
    assert find_moves(rule, [*level, below], "lot") == {"o": -1, max("hn", key=lots.__getitem__): 1}


def test_founding_is_by_rating_and_then_by_entry() -> None:
    """Those without a rating come last, in the order of their entries."""
    applicants = [Applicant("a"), Applicant("b", 1500), Applicant("c", 1700), Applicant("d"), Applicant("e", 1600)]
    seats = propose_divisions(DivisionRule(target_size=3), [], applicants, "lot")
    assert [(seat.player, seat.level, seat.why) for seat in seats] == [
        ("c", 1, "new"), ("e", 1, "new"), ("b", 2, "new"), ("a", 2, "new"), ("d", 2, "new"),
    ]  # fmt: skip


TWELVE = [build_division(1, "", "abcdef"), build_division(2, "", "ghijkl")]


def test_next_season_has_those_who_rose_last_and_those_who_fell_first() -> None:
    """Two up and two down, everyone plays on."""
    assert propose(DivisionRule(up={"number": 2}), TWELVE, "abcdefghijkl") == {"1": "abcdgh", "2": "efijkl"}


def test_a_free_place_is_filled_by_the_best_who_stayed() -> None:
    """One of the first division leaves: the third of the second rises, too; a newcomer begins at the bottom."""
    seats = propose_divisions(
        DivisionRule(up={"number": 2}), TWELVE, [Applicant(player) for player in "abdefghijklz"], "lot"
    )
    whys = {seat.player: (seat.level, seat.why) for seat in seats}
    assert whys["i"] == (1, "filled") and whys["z"] == (2, "new") and whys["e"] == (2, "relegated")
    assert [seat.explain() for seat in seats if seat.player in "ie"] == [
        "Place 3 in division 2: rises, as a place was free.",
        "Place 5 in division 1: falls.",
    ]


def test_one_more_player_moves_nobody() -> None:
    """A newcomer at the bottom changes no place above."""
    before = propose(DivisionRule(up={"number": 2}), TWELVE, "abcdefghijkl")
    after = propose(DivisionRule(up={"number": 2}), TWELVE, "abcdefghijklz")
    assert after == {**before, "2": before["2"] + "z"}


def test_who_returns_comes_back_to_their_level() -> None:
    """A member of the first level returns after two seasons; after three, as a newcomer."""
    players = [Applicant(player) for player in "abcdefghijk"]
    rule = DivisionRule(up={"number": 1}, returning={"seasons": 2})
    without = [build_division(1, "", "abcde"), build_division(2, "", "fghijk")]
    kept, late = (
        propose_divisions(rule, without, [*players, Applicant("z", left=(1, seasons))], "lot") for seasons in (2, 3)
    )
    assert [(seat.level, seat.why) for seat in kept if seat.player == "z"] == [(1, "returned")]
    assert [(seat.level, seat.why) for seat in late if seat.player == "z"] == [(2, "new")]


def test_who_returns_to_a_full_level_is_said_to_be_where_there_is_room() -> None:
    """Both divisions of six stay full: the thirteenth player, who left division 1, returns to division 2."""
    players = [Applicant(player) for player in "abcdefghijkl"]
    rule = DivisionRule(up={"number": 0}, returning={"seasons": 2})
    seats = propose_divisions(rule, TWELVE, [*players, Applicant("z", left=(1, 2))], "lot")
    assert [(seat.level, seat.explain()) for seat in seats if seat.player == "z"] == [
        (2, "Returns to division 2; seasons missed: 2."),
    ]


def test_newcomers_fill_an_upper_level_that_nearly_everybody_left() -> None:
    """One of each division of four is left; of six newcomers, two fill the first behind the one who stayed below."""
    divisions = [build_division(1, "", "abcd"), build_division(2, "", "efgh")]
    rule = DivisionRule(target_size=4, up={"number": 0})
    seats = propose_divisions(rule, divisions, [Applicant(player) for player in "aepqrstu"], "lot")
    assert [(seat.player, seat.level, seat.why) for seat in seats] == [
        ("a", 1, "stayed"), ("e", 1, "filled"), ("p", 1, "new"), ("q", 1, "new"),
        ("r", 2, "new"), ("s", 2, "new"), ("t", 2, "new"), ("u", 2, "new"),
    ]  # fmt: skip
    assert [seat.explain() for seat in seats if seat.player in "pr"] == [
        "New in this season; starts in division 1.",
        "New in this season; starts in division 2.",
    ]
    assert find_breaks(rule, seats) == []


def test_newcomers_by_rating_need_room() -> None:
    """The newcomer is better than some of the first level, which has a free place only in the first case."""
    rule = DivisionRule(up={"number": 1}, newcomers="by_rating")
    ratings = {player: 2000.0 - 10 * at for at, player in enumerate("abcdefghijkl")}

    def seat_newcomer(players: str) -> int:
        known = [Applicant(player, ratings[player]) for player in players]
        seats = propose_divisions(rule, TWELVE, [*known, Applicant("z", 1975.0)], "lot")
        return next(seat.level for seat in seats if seat.player == "z")

    assert seat_newcomer("abcdfghijkl") == 1
    assert seat_newcomer("abcdefghijkl") == 2


def test_a_dissolved_division_joins_the_one_above() -> None:
    """Six of the lower twelve leave: one division is left, and nobody who stayed stands lower."""
    seats = propose_divisions(
        DivisionRule(target_size=6, up={"number": 1}), TWELVE, [Applicant(player) for player in "abcdefghi"], "lot"
    )
    assert {seat.level for seat in seats} == {1}
    assert {seat.player: seat.why for seat in seats} == {
        **dict.fromkeys("abcdef", "stayed"), "g": "promoted", "h": "moved", "i": "moved",
    }  # fmt: skip


def test_a_move_by_hand_says_what_it_breaks() -> None:
    """Whoever was promoted is moved back, and the first of the upper division down."""
    by_hand = {"g": HandMove(2, "", "wish"), "a": HandMove(2, "", "injured")}
    seats = propose_divisions(
        DivisionRule(up={"number": 1}), TWELVE, [Applicant(player) for player in "abcdefghijkl"], "lot", by_hand
    )
    assert [seat.why for seat in seats if seat.player in "ag"] == ["moved", "moved"]
    assert [seat.explain() for seat in seats if seat.player == "a"] == ["Moved by hand: injured"]
    breaks = find_breaks(DivisionRule(up={"number": 1}), seats)
    assert sorted((one.code, one.values["player"]) for one in breaks) == [
        ("promoted_not_higher", "g"), ("stayed_lower", "a"),
    ]  # fmt: skip
    assert "a stayed or rose but stands lower than before." in [one.explain() for one in breaks]


def test_a_division_of_more_than_twice_the_target_is_said() -> None:
    rule = DivisionRule(target_size=2, up={"number": 0})
    by_hand = {player: HandMove(1, "", "together") for player in "abcde"}
    seats = propose_divisions(rule, [], [Applicant(player) for player in "abcde"], "lot", by_hand)
    (found,) = find_breaks(rule, seats)
    assert (found.code, found.values) == ("too_large", {"division": "1", "count": 5, "most": 4})


def test_who_falls_makes_room_for_who_stayed() -> None:
    """One of each lower division leaves: the third needs two, and e stayed in the second, so c falls past it."""
    divisions = [build_division(1, "", "abc"), build_division(2, "", "def"), build_division(3, "", "gh")]
    rule = DivisionRule(target_size=2, smallest=2, up={"number": 1})
    assert propose(rule, divisions, "acdefg") == {"1": "ad", "2": "eg", "3": "cf"}


def test_a_level_is_not_filled_from_nobody() -> None:
    """Nine of a large division stay although four are wanted: nobody stands lower, so there is no third level."""
    divisions = [build_division(1, "", "abcdefghi"), build_division(2, "", "jkl")]
    rule = DivisionRule(target_size=4, up={"number": 0})
    assert propose(rule, divisions, "abcdefghijkl") == {"1": "abcdefghi", "2": "jkl"}


def test_a_level_that_would_be_too_small_is_dissolved_before_anybody_who_rose_falls() -> None:
    """Two of eight leave, one of whom would have risen: six in one division, and the one who rose is not put back."""
    divisions = [build_division(1, "", "abcd"), build_division(2, "", "efgh")]
    rule = DivisionRule(target_size=3, smallest=3, up={"number": 1})
    gone = FinalPlace("b", 2, Fraction(3), 5, withdrawn=True)
    divisions[0] = build_division(1, "", "abcd", b=gone)
    seats = propose_divisions(rule, divisions, [Applicant(player) for player in "acdefh"], "lot")
    assert find_breaks(rule, seats) == []
    assert {seat.player: (seat.level, seat.why) for seat in seats}["e"] == (1, "promoted")
    back = propose_divisions(
        rule, divisions, [*(Applicant(player) for player in "abcdefgh"), Applicant("z", left=(2, 2))], "lot"
    )
    assert [len(members) for _level, _letter, members in list_divisions(back)] == [4, 5]


def test_an_empty_list_is_no_division() -> None:
    """Nobody wants to play."""
    assert propose_divisions(DivisionRule(), TWELVE, [], "lot") == []


def draw_season(random: Random, rule: DivisionRule, seats: Sequence[Placement]) -> list[FinalDivision]:
    """Return drawn final standings of the divisions of a proposal."""
    divisions = []
    for level, letter, members in list_divisions(seats):
        players = [seat.player for seat in members]
        random.shuffle(players)
        places = [
            FinalPlace(player, rank, Fraction(random.randrange(9)), random.randrange(9), random.random() < 0.1)
            for rank, player in enumerate(players, 1)
        ]
        divisions.append(FinalDivision(level, letter, tuple(places)))
    return divisions


def draw_play_offs(random: Random, play_offs: Sequence[PlayOff]) -> list[PlayOff]:
    """Return the play-offs with drawn winners, or none."""
    return [replace(one, winner=random.choice([one.upper, one.lower, None])) for one in play_offs]


FORMULAS = ({"number": 1}, {"number": 2}, {"share": "1/6"}, {"share": "(N+1)/5"}, {"share": "1/3"})


@pytest.mark.parametrize("seed", range(30))
def test_drawn_leagues_keep_the_guarantee(seed: int) -> None:
    """Six seasons with people who come, leave and return: nobody is lost or doubled, moves are what they say."""
    random = Random(seed)
    rule = DivisionRule(
        target_size=random.randrange(4, 9), smallest=2, parallel=random.randrange(1, 3), up=random.choice(FORMULAS),
        min_played=random.randrange(3), newcomers=random.choice(["bottom", "by_rating"]),
        play_off=random.choice([None, {"number": 1}, {"number": 2}]),
    )  # fmt: skip
    people = [f"p{number}" for number in range(60)]
    ratings = {player: float(random.randrange(1000, 2000)) for player in people}
    playing = set(random.sample(people, 30))
    divisions: list[FinalDivision] = []
    last_level: dict[str, tuple[int, int]] = {}
    for season in range(6):
        applicants = [
            Applicant(player, ratings[player], (last_level[player][0], season - last_level[player][1]))
            if player in last_level
            else Applicant(player, ratings[player])
            for player in sorted(playing)
        ]
        moves = find_moves(rule, divisions, f"lot {season}")
        assert sum(moves.values()) == 0
        before = {place.player: one.level for one in divisions for place in one.places}
        play_offs = draw_play_offs(random, find_play_offs(rule, divisions, moves, f"lot {season}"))
        for one in play_offs:
            assert before[one.upper] + 1 == before[one.lower]
            if one.winner == one.lower:
                moves |= {one.upper: 1, one.lower: -1}
        both = [player for one in play_offs for player in (one.upper, one.lower)]
        assert len({*both}) == len(both) and set(find_moves(rule, divisions, f"lot {season}")).isdisjoint(both)
        seats = propose_divisions(rule, divisions, applicants, f"lot {season}", {}, play_offs)
        assert Counter(seat.player for seat in seats) == Counter(playing)
        for seat in seats:
            was = before.get(seat.player)
            if seat.why in ("promoted", "filled"):
                assert was is not None and seat.level < was
            elif seat.why == "stayed":
                assert was is not None and seat.level <= was
            elif seat.why == "relegated":
                assert was is not None and moves[seat.player] == 1 and seat.level > was
            elif seat.why in ("new", "returned"):
                assert was is None
            elif seat.why == "moved" and was is not None and seat.level > was:
                # Only a level that nothing was below is divided.
                assert was == max(before.values())
        broken = {one.code for one in find_breaks(rule, seats)}
        assert not broken & {"promoted_not_higher", "stayed_lower"}
        assert seats == propose_divisions(rule, divisions, applicants, f"lot {season}", {}, play_offs)
        divisions = draw_season(random, rule, seats)
        last_level |= {seat.player: (seat.level, season) for seat in seats}
        playing = {player for player in playing if random.random() < 0.9} | set(random.sample(people, 4))
