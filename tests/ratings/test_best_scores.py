"""The Zester: mean of the best 10 scores, 10 games to qualify (SYSTEMS.md, section 2)."""

from ratings.columns.tallies import Records
from ratings.contract.method import RatedLine, build_records
from ratings.ladder_methods.best_scores import BestScores
from tests.helpers.periods import tally_of


def record(*scores: float | None, performance: float | None = None) -> Records:
    """Return the record of a player with these scores on the sheets."""
    return build_records([[RatedLine(1, score=score, performance=performance)] for score in scores])


def test_only_the_best_ten_count() -> None:
    tally = tally_of(BestScores(), record(-500, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 9))
    # 10 + 20 + … + 100 = 550.
    assert (tally.score, tally.values, tally.games, tally.why_not) == (55.0, (100.0, 10.0, 10.0), 12, "")


def test_ten_games_qualify_and_nine_do_not() -> None:
    assert tally_of(BestScores(), record(*[7.0] * 10)).why_not == ""
    tally = tally_of(BestScores(), record(*[7.0] * 9))
    assert (tally.score, tally.values, tally.games) == (7.0, (7.0, 7.0, 9.0), 9)
    assert tally.why_not == "9 of 10 games played; 1 to go."


def test_a_minimum_of_one_game_is_said_in_the_singular_and_met_by_any() -> None:
    assert tally_of(BestScores(minimum=1), record(-3.0)).why_not == ""
    assert tally_of(BestScores(minimum=2), record(-3.0)).why_not == "1 of 2 games played; 1 to go."


def test_fewer_may_count_than_are_needed_and_the_other_way_round() -> None:
    assert tally_of(BestScores(best=2, minimum=3), record(1.0, 9.0, 4.0)).score == 6.5
    few = tally_of(BestScores(best=5, minimum=2), record(1.0, 9.0))
    assert (few.score, few.values, few.why_not) == (5.0, (9.0, 1.0, 2.0), "")


def test_games_without_a_score_do_not_count() -> None:
    tally = tally_of(BestScores(minimum=2), record(None, 8.0, None))
    assert (tally.score, tally.games, tally.why_not) == (8.0, 1, "1 of 2 games played; 1 to go.")
    tally = tally_of(BestScores(), record(None))
    assert (tally.score, tally.values, tally.games) == (None, (None, None, 0.0), 0)
    assert tally.why_not == "No game of the period has a score."


def test_r12_the_adjusted_scores_are_a_parameter() -> None:
    given = record(50.0, 60.0, performance=-12.0)
    assert tally_of(BestScores(minimum=1), given).score == 55.0
    assert tally_of(BestScores(minimum=1, of="performance"), given).score == -12.0


def test_a_worse_game_never_costs_anything() -> None:
    rules = BestScores(best=3, minimum=3)
    scores = [30.0, 10.0, 20.0]
    assert tally_of(rules, record(*scores)).score == tally_of(rules, record(*scores, -1e9)).score == 20.0
    assert tally_of(rules, record(*scores, 25.0)).score == 25.0
