"""A ladder by rating less deviations in leagues of systems that keep one: what the history says, at every way."""

import pytest

from league.errors import Refused
from league.models import League, RatingChange
from league.selectors.ladders.standings import live_rows
from league.services.recording.games import void_game
from league.services.verify.run import verify_league
from tests.helpers.builders import make_league, record
from tests.helpers.drawn_sheets import replay_from_nothing
from tests.helpers.ladder_builders import duel, make_ladder, period, standings
from tests.helpers.tiers import mark_slow

pytestmark = pytest.mark.django_db

GAMES = (("anna", "ben", "2024-03-01"), ("ben", "cleo", "2024-03-09"), ("anna", "ben", "2024-03-31T23:59"))


def told(league: League, deviations: float = 2.0) -> dict[str, tuple[float | None, float]]:
    """Return the score and the deviation of each player of March, and hold them to the history."""
    rows = {row["player"]: row for row in live_rows(period(league, "2024-03"))}
    for player, row in rows.items():
        last = RatingChange.objects.filter(league=league, player__handle=player, at__lt="2024-04-01T00:00Z").order_by(
            "at"
        )
        line = last.last()
        assert line is not None
        assert row["columns"] == {"rating": line.after, "deviation": line.state_1}
        assert row["score"] == line.after - deviations * line.state_1
    return {player: (row["score"], row["columns"]["deviation"]) for player, row in rows.items()}


@pytest.mark.parametrize(
    "system", mark_slow(["glicko", "glicko2", "trueskill", "weng_lin"], "Compiles a system's kernel.", but=["glicko"])
)
def test_every_game_moves_it_at_once_and_later_months_do_not(system: str) -> None:
    league = make_league(system)
    make_ladder(league, method="conservative_rating")
    deviations = []
    for winner, loser, day in GAMES:
        record(league, duel(winner, loser, day))
        deviations.append(told(league)["ben"][1])
    assert deviations == sorted(deviations, reverse=True)
    assert len(set(deviations)) == 3
    march = told(league)
    record(league, duel("anna", "ben", "2024-06-01"))
    assert told(league) == march
    now = standings(league)
    replay_from_nothing(league)
    assert standings(league) == now
    void_game(league.pk, 2, reason="a friendly", by="olga")
    assert set(told(league)) == {"anna", "ben"}
    assert verify_league(league.pk).differences == []


def test_newcomers_of_glicko_stand_below_who_has_played() -> None:
    league = make_league("glicko")
    make_ladder(league, method="conservative_rating", deviations=3)
    for winner, loser, day in GAMES:
        record(league, duel(winner, loser, day))
    march = told(league, 3.0)
    # cleo lost once, ben twice, but of cleo less is known.
    assert [row["player"] for row in live_rows(period(league, "2024-03"))] == ["anna", "ben", "cleo"]
    assert march["cleo"][1] > march["ben"][1]


def test_a_league_without_deviations_is_refused() -> None:
    league = make_league("elo")
    with pytest.raises(Refused) as caught:
        make_ladder(league, method="conservative_rating")
    (problem,) = caught.value.problems
    assert (problem.pointer, problem.code) == ("/method", "other_system")
    assert problem.detail == "Conservative rating takes deviations off the rating; Elo keeps none."
    assert not league.ladders.exists()
