"""What players need for a higher score: the figures are worked out by hand."""

from ratings.contract.method import RatedLine, build_records
from ratings.contract.needs import Need, find_needs
from ratings.ladder_methods.best_scores import BestScores

BEST = BestScores(best=1, minimum=1)


def test_whoever_is_above_needs_any_game_and_the_other_the_next_whole_score() -> None:
    records = build_records([[RatedLine(1, score=30.0), RatedLine(2, score=10.0)]])
    # The best score counts: 30 is more than 25 already; 26 is the lowest whole score that is.
    assert find_needs(BEST, records, 25.0) == [Need(1, None), Need(1, 26)]


def test_where_no_game_has_a_score_nothing_can_be_said() -> None:
    assert find_needs(BEST, build_records([[RatedLine(1), RatedLine(2)]]), 25.0) is None
