"""FIDE's performance measures: the examples of SYSTEMS.md, section 3, and cases worked out by hand."""

from collections.abc import Sequence
from typing import Any

import pytest

from ratings.columns.pairings import find_pairings
from ratings.columns.tallies import Records
from ratings.contract.method import RatedLine, Tally, build_records, build_tallies, index_figures_by_key, rank_players
from ratings.ladder_methods.fide_performance import FidePerformance
from ratings.systems.barbu import Barbu
from ratings.systems.durak import Durak
from ratings.systems.elo import Elo
from tests.helpers.periods import duel, period

NONE = (None, None, None, None, None)
#: Players of the round robin that is worked out by hand below.
ANN, BOB, CAM = 1, 2, 3
#: Ann beats Bob, Bob beats Cam, Ann and Cam draw.
ROUND_ROBIN = [duel(ANN, BOB, 1.0), duel(BOB, CAM, 1.0), duel(CAM, ANN, 0.5)]
RATINGS = {ANN: 1800.0, BOB: 1900.0, CAM: 2000.0}


def measured(rules: FidePerformance, records: Records, player: int) -> dict[str, float | None]:
    """Return the measures of a player by key."""
    return index_figures_by_key(rules, build_tallies(rules, records)[player])


def event(results: Sequence[float], ratings: Sequence[float | None], **parameters: Any) -> dict[str, float | None]:
    """Return the measures of player 0 after games against opponents of these ratings."""
    before = {0: 2000.0, **dict(enumerate(ratings, 1))}
    records = period([duel(0, seat, result) for seat, result in enumerate(results, 1)], before)
    return measured(FidePerformance(**parameters), records, 0)


def part(found: dict[str, float | None], *keys: str) -> tuple[float | None, ...]:
    """Return some of the measures."""
    return tuple(found[key] for key in keys)


def test_r8_the_bonus_for_all_points_may_be_what_the_table_gives_and_touches_nothing_else() -> None:
    assert part(event([1, 1], [1800, 1900], perfect_score_bonus=736), "aro", "tpr", "ptp") == (1850, 2650, 2636)
    assert part(event([0, 0], [1800, 1900], perfect_score_bonus=736), "aro", "tpr", "ptp") == (1850, 1050, 1000)
    found = event([1, 0, 0.5], [2000, 2000, 2000], perfect_score_bonus=736)
    assert part(found, "aro", "tpr", "ptp") == (2000, 2000, 1997)


def test_byes_larger_tables_games_against_oneself_and_without_a_result_never_count() -> None:
    games = [duel(0, seat, score) for seat, score in ((1, 1.0), (2, 0.5), (3, 1.0))]
    before = {0: 2000.0, 1: 1600.0, 2: 1700.0, 3: 1900.0, 4: 2800.0}
    beside = [
        (RatedLine(0, score=1.0),),
        (RatedLine(0, place=1),),
        (RatedLine(0, score=1.0), RatedLine(3, score=0.0), RatedLine(4, score=0.0)),
        (RatedLine(0, score=1.0), RatedLine(0, score=0.0)),
        (RatedLine(0), RatedLine(4)),
        (RatedLine(0, score=1.0), RatedLine(4)),
        (RatedLine(0, place=1), RatedLine(4, score=3.0)),
    ]
    for records in (period(games, before), period([*beside, *games, *beside], before)):
        tally = build_tallies(FidePerformance(), records)[0]
        assert tally.games == 3
        assert part(index_figures_by_key(FidePerformance(), tally), "points", "aro", "tpr", "ptp") == (
            2.5,
            1733,
            2006,
            2033,
        )


@pytest.mark.parametrize(
    ("half_points_of_forty", "tpr"),
    # 57.5 % is 58 %: +57. 42.5 % is 43 %: -50. 52.5 % is 53 %: +21. 55 % is 55 %: +36.
    [(23, 2057), (17, 1950), (21, 2021), (22, 2036)],
)
def test_percentages_are_rounded_half_up_on_exact_fractions(half_points_of_forty: int, tpr: int) -> None:
    whole, half = divmod(half_points_of_forty, 2)
    results = [1.0] * whole + [0.5] * half + [0.0] * (20 - whole - half)
    assert event(results, [2000] * 20)["tpr"] == tpr


def test_r13_ratings_are_rounded_half_up_first() -> None:
    # 2000 and 2001, not 1999.5 and 2000.5: the mean 2000.5 is 2001.
    assert event([1, 0], [1999.5, 2000.5])["aro"] == 2001
    assert event([1, 0], [1999.49, 1999.51])["aro"] == 2000
    assert event([0], [-0.5])["ptp"] == -800


def test_a_round_robin_by_hand() -> None:
    tallies = build_tallies(FidePerformance(), period(ROUND_ROBIN, RATINGS))
    # Ann: 75 % of 1950 is +193. .80 + .69 = 1.49 at 2145, .81 + .70 at 2146.
    # Bob: 50 % of 1900. .64 + .36 = 1 at 1899, .63 + .36 at 1898.
    # Cam: 25 % of 1850 is -193. .31 + .20 = .51 at 1655, .30 + .19 at 1654.
    # Ann met 1900 and 1657: 1778.5 is 1779; 1899 and 1655: 1777.
    # Bob met 2143 and 1657: 1900; 2146 and 1655: 1900.5 is 1901.
    # Cam met 2143 and 1900: 2021.5 is 2022; 2146 and 1899: 2022.5 is 2023.
    assert tallies == {
        ANN: Tally(2143, (1.5, 1950, 2143, 2146, 1779, 1777), 2),
        BOB: Tally(1900, (1.0, 1900, 1900, 1899, 1900, 1901), 2),
        CAM: Tally(1657, (0.5, 1850, 1657, 1655, 2022, 2023), 2),
    }


def test_an_opponent_met_twice_counts_twice() -> None:
    records = period([duel(ANN, BOB, 1.0), duel(BOB, ANN, 0.0), duel(ANN, CAM, 0.0)], RATINGS)
    found = measured(FidePerformance(), records, ANN)
    # Bob has 0 % and Cam 100 % of 1800: 1000, 1000 and 2600.
    assert part(found, "points", "aro", "apro", "appo") == (2.0, 1933, 1533, 1533)


@pytest.mark.parametrize(
    ("rank_by", "score"), [("tpr", 2143), ("ptp", 2146), ("aro", 1950), ("apro", 1779), ("appo", 1777), ("points", 1.5)]
)
def test_any_measure_may_be_the_score(rank_by: str, score: float) -> None:
    rules = FidePerformance(rank_by=rank_by)
    tally = build_tallies(rules, period(ROUND_ROBIN, RATINGS))[ANN]
    assert (tally.score, tally.why_not) == (score, "")
    assert rank_by not in rules.chain()


def test_equal_scores_are_decided_by_the_other_measures_in_their_order_or_not_at_all() -> None:
    assert FidePerformance().chain() == ("ptp", "points", "aro")
    assert FidePerformance(rank_by="apro").chain() == ("tpr", "ptp", "points", "aro")
    assert FidePerformance(rank_by="points").chain() == ("tpr", "ptp", "aro")
    assert FidePerformance(ties="share").chain() == ()


def test_equal_performances_are_parted_by_the_perfect_performance() -> None:
    # Both TPR 2000; half the points of 1800 and 2200 are reached by a lower rating than those of 2000 twice.
    games = [duel(1, 11, 1), duel(1, 12, 0), duel(2, 13, 1), duel(2, 14, 0)]
    before = {1: 2000.0, 2: 2000.0, 11: 1800.0, 12: 2200.0, 13: 2000.0, 14: 2000.0}
    rules = FidePerformance()
    tallies = build_tallies(rules, period(games, before))
    rows = rank_players(rules, {player: tallies[player] for player in (1, 2)}, {1: "ann", 2: "bob"})
    assert {row.tally.score for row in rows} == {2000}
    # 2000 twice: .50 + .50 at 1997. 1800 and 2200: .76 + .24 at 1998 (198 and 202), .75 + .24 at 1997.
    assert [(row.player, row.rank, row.decided_by, row.tally.values[3]) for row in rows] == [
        (1, 1, "ptp", 1998),
        (2, 2, "ptp", 1997),
    ]


def test_an_unrated_opponent_leaves_no_value() -> None:
    records = period([duel(0, 1, 1.0), duel(0, 2, 0.5)], {0: 2000.0, 1: 1900.0, 2: None})
    tally = build_tallies(FidePerformance(), records)[0]
    assert (tally.score, tally.values, tally.games) == (None, (1.5, *NONE), 2)
    assert tally.why_not == "An opponent was unrated when the period began."
    by_points = build_tallies(FidePerformance(rank_by="points"), records)[0]
    assert (by_points.score, by_points.why_not) == (1.5, "")


def test_a_game_against_an_unrated_opponent_may_be_skipped() -> None:
    found = event([1, 0.5], [1900, None], unrated="skip_game")
    assert part(found, "points", "aro", "tpr", "ptp") == (1, 1900, 2700, 2700)


def test_a_number_may_stand_for_the_rating_of_an_unrated_opponent() -> None:
    found = event([0.5, 0.5], [1900, None], unrated=1499.5)
    assert part(found, "points", "aro", "tpr") == (1, 1700, 1700)
    assert event([0], [None], unrated=0)["ptp"] == -800


def test_the_own_rating_matters_only_to_the_opponents() -> None:
    for own in (None, 100.0, 3000.0):
        records = period([duel(0, 1, 1.0)], {0: own, 1: 1900.0})
        found = measured(FidePerformance(), records, 0)
        assert part(found, "aro", "tpr", "ptp") == (1900, 2700, 2700)
        assert (found["apro"] is None) == (own is None)


#: Ann and Bob are rated and draw; Bob also beats a newcomer.
NEWCOMER = period([duel(ANN, BOB, 0.5), duel(BOB, CAM, 1.0)], {ANN: 1800.0, BOB: 1900.0, CAM: None})


def test_opponents_without_a_value_leave_none_for_their_mean() -> None:
    found = measured(FidePerformance(), NEWCOMER, ANN)
    assert part(found, "aro", "tpr", "ptp", "apro", "appo") == (1900, 1900, 1897, None, None)
    tally = build_tallies(FidePerformance(rank_by="apro"), NEWCOMER)[ANN]
    assert (tally.score, tally.why_not) == (None, "The opponents have no performance of their own.")


def test_of_opponents_whose_games_were_skipped_those_that_are_left_count() -> None:
    rules = FidePerformance(unrated="skip_game", rank_by="apro")
    # Bob's game against Ann is left: 50 % of 1800.
    assert part(measured(rules, NEWCOMER, ANN), "apro", "appo") == (1800, 1797)
    games = [duel(ANN, BOB, 0.5), duel(CAM, BOB, 0.0), duel(CAM, 4, 1.0)]
    records = period(games, {ANN: 1800.0, BOB: 1900.0, CAM: None, 4: 2000.0})
    # Cam met Bob (50 % of Ann's 1800) and 4, whose only game was against Cam.
    assert part(measured(rules, records, CAM), "apro", "appo") == (1800, 1797)
    only = period([duel(CAM, 4, 1.0)], {CAM: None, 4: 2000.0})
    tally = build_tallies(rules, only)[CAM]
    assert list(tally.values) == [1.0, 2000, 2800, 2800, None, None]
    assert (tally.score, tally.why_not) == (None, "The opponents have no performance of their own.")


def test_without_a_game_that_counts_there_is_no_value_whatever_ranks() -> None:
    records = period([(RatedLine(0, score=1.0),)], {0: 2000.0})
    for rank_by in ("tpr", "points", "appo"):
        tally = build_tallies(FidePerformance(rank_by=rank_by), records)[0]
        assert (tally.score, tally.values, tally.games) == (None, (None, *NONE), 0)
        assert tally.why_not == "No game of the period counts for FIDE's measures."
    skipped = build_tallies(FidePerformance(unrated="skip_game"), period([duel(0, 1, 1.0)], {0: 2000.0}))[0]
    assert skipped.why_not == "No game of the period counts for FIDE's measures."


def test_a_minimum_counts_the_games_that_count() -> None:
    records = period([*ROUND_ROBIN, (RatedLine(ANN, score=1.0),)], RATINGS)
    assert build_tallies(FidePerformance(minimum=2), records)[ANN].why_not == ""
    tally = build_tallies(FidePerformance(minimum=3), records)[ANN]
    assert (tally.score, tally.why_not) == (2143, "2 of 3 games played; 1 to go.")


@pytest.mark.parametrize(
    ("one", "other", "half"),
    [
        (RatedLine(1, score=3.0), RatedLine(2, score=1.0), 2),
        (RatedLine(1, score=-3.0), RatedLine(2, score=-3.0), 1),
        (RatedLine(1, score=0.0), RatedLine(2, score=1e-9), 0),
        (RatedLine(1, place=1), RatedLine(2, place=2), 2),
        (RatedLine(1, place=1), RatedLine(2, place=1), 1),
        (RatedLine(1, place=2), RatedLine(2, place=1), 0),
        # Places decide where both are there.
        (RatedLine(1, score=9.0, place=2), RatedLine(2, score=1.0, place=1), 0),
        (RatedLine(1, score=9.0, place=2), RatedLine(2, score=1.0), 2),
        (RatedLine(1, score=9.0), RatedLine(2, score=1.0, place=1), 2),
        (RatedLine(1, score=9.0), RatedLine(2), None),
        (RatedLine(1), RatedLine(2, score=0.0), None),
        (RatedLine(1, place=1), RatedLine(2), None),
    ],
)
def test_a_game_gives_half_points(one: RatedLine, other: RatedLine, half: int | None) -> None:
    for game in ((one, other), (other, one)):
        records = build_records([game])
        found = find_pairings(records, records.lines.score)
        told = {*zip(found.of.tolist(), found.opponent.tolist(), found.half_points.tolist(), strict=True)}
        assert told == (set() if half is None else {(0, 1, half), (1, 0, 2 - half)})


def test_systems_for_two_players_are_ranked_and_others_refused() -> None:
    assert FidePerformance().refusal(Elo) == FidePerformance().refusal(Durak) == ""
    assert FidePerformance().refusal(Barbu) == (
        f"FIDE performance counts games of two players; {Barbu.title} is for 4 or more."
    )
