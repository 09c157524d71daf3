"""The Durak leaderboard as a ladder: SYSTEMS.md, section 4."""

import pytest

from ratings.columns.tallies import Records
from ratings.contract.method import RatedLine, build_records
from ratings.ladder_methods.rating_score import RatingScore
from tests.helpers.periods import tally_of


def record(rating: float, *counts: int) -> Records:
    """Return the record of a player whose games of the period were the n-th ones in the league."""
    return build_records([[RatedLine(1, after=rating, games=count)] for count in counts])


@pytest.mark.parametrize(("games", "score"), [(1, 820), (4, 910), (9, 940), (25, 964), (100, 982)])
def test_a_rating_of_1000_shows_what_the_source_prints(games: int, score: int) -> None:
    tally = tally_of(RatingScore(), record(1000.0, games))
    assert tally.score == score
    assert (tally.values[0], tally.values[2]) == (1000.0, games)
    assert tally.values[1] == pytest.approx(1000 - score, rel=0, abs=1e-9)


def test_the_evidence_is_the_games_until_the_last_one_of_the_period() -> None:
    assert tally_of(RatingScore(), record(1000.0, 1, 4, 25)).score == 964


def test_fewer_games_than_one_are_one_game() -> None:
    assert tally_of(RatingScore(), record(1000.0, 0)).score == 820


def test_the_games_of_the_period_may_be_the_evidence() -> None:
    given = record(1000.0, 97, 98, 99, 100)
    assert tally_of(RatingScore(), given).score == 982
    tally = tally_of(RatingScore(evidence="period"), given)
    assert (tally.score, tally.values, tally.games) == (910.0, (1000.0, 90.0, 4.0), 4)


@pytest.mark.parametrize(
    ("rating", "rounded", "exact"),
    [(1000.25, 910.0, 910.25), (1000.5, 911.0, 910.5), (-20.5, -110.0, -110.5), (89.75, 0.0, -0.25)],
)
def test_exactly_one_half_goes_up(rating: float, rounded: float, exact: float) -> None:
    given = record(rating, 4)
    assert tally_of(RatingScore(), given).score == rounded
    assert tally_of(RatingScore(rounding="none"), given).score == exact


def test_the_rating_is_that_at_the_end_also_where_others_moved_it_after_the_last_game() -> None:
    given = build_records([[RatedLine(1, after=1000.0, games=4)]], before={1: 500.0}, rating={1: 1010.0})
    assert tally_of(RatingScore(), given).score == 920


def test_without_a_penalty_the_score_is_the_rating() -> None:
    tally = tally_of(RatingScore(evidence_penalty=0, rounding="none"), record(1234.5, 1))
    assert (tally.score, tally.values) == (1234.5, (1234.5, 0.0, 1.0))


def test_a_minimum_of_games_of_the_period_qualifies_however_many_there_were_before() -> None:
    assert tally_of(RatingScore(), record(1000.0, 80)).why_not == ""
    assert tally_of(RatingScore(minimum=2), record(1000.0, 80)).why_not == "1 of 2 games played; 1 to go."
    assert tally_of(RatingScore(minimum=2), record(1000.0, 80, 81)).why_not == ""


def test_equal_scores_are_decided_by_the_rating() -> None:
    assert RatingScore().chain() == ("rating",)
