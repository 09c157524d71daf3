"""What players need to lead a ladder: found with the method itself, and true when that very game is recorded."""

from typing import Any

import pytest

from league.core.ladders.selectors.ladders import load_live_rows
from league.core.ladders.selectors.races import load_race
from league.core.rules.selectors.rules import load_rules
from league.models import League
from ratings.contract.needs import Need
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.ladder_builders import duel, make_ladder, period, ranking, utc

pytestmark = pytest.mark.django_db
EIGHT = ("anna", "ben", "cleo", "dan", "eva", "finn", "gina", "hans")


def needs_of(league: League, slug: str = "month") -> dict[str, Need | None] | None:
    """Return what each player needs in March."""
    one = period(league, "2024-03", slug)
    return load_race(league, one, load_live_rows(one), load_rules(league), moves=True).needs


def barbu() -> League:
    """Return a league with one game of four newcomers, whose adjusted scores are their scores."""
    league = make_league("barbu", EIGHT)
    make_ladder(league, method="erf_mean")
    record(league, sheet(("anna", "ben", "cleo", "dan"), (40, 10, -20, -30), played_at=utc("2024-03-05")))
    return league


def test_the_month_of_barbu_asks_for_what_its_formula_says() -> None:
    # By hand, with erf(1/20), erf(2/20) and erf(3/20) = 0.056372, 0.112463 and 0.167996: Anna stands at 40 · 0.056372.
    # Ben: (10 + x) / 2 · 0.112463 > 2.254879, x > 30.1. Nobody made more than 40, so the others need two games:
    # (−20 + 2x) / 3 · 0.167996 > 2.254879, x > 30.1; for Dan x > 35.1.
    needs = needs_of(barbu())
    assert needs is not None
    assert (needs["ben"], needs["cleo"], needs["dan"]) == (Need(1, 31), Need(2, 31), Need(2, 36))


@pytest.mark.parametrize(("score", "rank"), [(31, 1), (30, 2)])
def test_the_game_that_is_needed_leads_and_one_point_less_does_not(score: int, rank: int) -> None:
    league = barbu()
    record(league, sheet(("ben", "eva", "finn", "gina"), (score, 0, 0, 0), played_at=utc("2024-03-12")))
    assert [one for one, player, _ in ranking(league, "2024-03") if player == "ben"] == [rank]


@pytest.mark.parametrize(("score", "leader"), [(31, "cleo"), (30, "anna")])
def test_two_such_games_lead_and_two_with_a_point_less_do_not(score: int, leader: str) -> None:
    league = barbu()
    # Cleo's strength is below 0 by now, but only that of her opponents counts.
    for day, players in (
        ("2024-03-12", ("cleo", "eva", "finn", "gina")),
        ("2024-03-13", ("cleo", "hans", "ida", "jan")),
    ):
        record(league, sheet(players, (score, 0, 0, 0), played_at=utc(day), create_players=True))
    assert ranking(league, "2024-03")[0][1] == leader


def test_a_points_table_asks_for_wins() -> None:
    league = make_league(players=EIGHT)
    make_ladder(league)
    make_ladder(league, "three", win=3, draw=1)
    for winner, loser in (("anna", "ben"), ("anna", "cleo"), ("anna", "dan"), ("ben", "cleo")):
        record(league, duel(winner, loser, "2024-03-05"))
    # Anna has three wins, Ben one; with three points for a win, nine and three.
    needs = needs_of(league)
    assert needs is not None
    assert (needs["ben"], needs["cleo"]) == (Need(3, None), Need(4, None))
    assert needs_of(league, "three") == needs
    for _ in range(3):
        record(league, duel("ben", "eva", "2024-03-06"))
    assert ranking(league, "2024-03")[0][1] == "ben"


def scored(method: str, *games: tuple[int, int], **parameters: Any) -> dict[str, Need | None] | None:
    """Return the needs after games of Anna and Ben with these scores."""
    league = make_league(players=EIGHT)
    make_ladder(league, method=method, **parameters)
    for scores in games:
        record(league, sheet(("anna", "ben"), scores, played_at=utc("2024-03-05")))
    return needs_of(league)


def test_scores_added_up_or_averaged_ask_for_scores() -> None:
    # Ben lacks 20; the best score is 15, so two of 11 each.
    found = scored("points", (15, 5), (15, 5), count="scores")
    assert found is not None
    assert found["ben"] == Need(2, 11)


def test_where_the_lowest_score_wins_the_highest_one_that_suffices_is_needed() -> None:
    # Averages of the two best: 70 and 75. Ben's other best is 74: his next must be 65 or less: a new best.
    found = scored("best_scores", (70, 76), (70, 74), (90, 95), best=2, minimum=1, winner="lowest")
    assert found is not None
    assert found["ben"] == Need(1, 65)


def test_what_is_far_better_than_all_so_far_is_out_of_reach() -> None:
    # As above, but all scores lie within 6, and 65 is more than 3 better than the best.
    found = scored("best_scores", (70, 76), (70, 74), best=2, minimum=1, winner="lowest")
    assert found is not None
    assert found["ben"] is None


def test_a_player_who_leads_as_soon_as_enough_games_are_played_needs_any_result() -> None:
    league = make_league(players=EIGHT)
    make_ladder(league, method="best_scores", best=1, minimum=2)
    record(league, sheet(("anna", "ben"), (9, 20), played_at=utc("2024-03-05")))
    record(league, sheet(("anna", "cleo"), (8, 1), played_at=utc("2024-03-06")))
    needs = needs_of(league)
    assert needs is not None
    assert (needs["ben"], needs["cleo"]) == (Need(1, None), Need(1, 10))


def test_a_method_that_depends_on_ratings_or_opponents_does_not_say_it() -> None:
    assert scored("rating_score", (1, 0)) is None
    league = make_league(slug="other", players=())
    make_ladder(league, "performance", "fide_performance", unrated="skip_game")
    make_ladder(league, "mean", "erf_mean")  # of Elo's shares of wins, not of scores
    record(league, duel("anna", "ben", "2024-03-05"))
    assert needs_of(league, "performance") is None
    assert needs_of(league, "mean") is None
