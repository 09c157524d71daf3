"""A league whose system asks when games were played: recorded, late, imported, voided and foretold."""

import json
import math
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import pytest
from django.test import Client

from league.apps.imports.services.run import ImportOptions, import_games
from league.core.games.services.explain import explain_game
from league.core.games.services.record import void_game
from league.core.games.services.what_if import compute_changes_if_counted, compute_what_if
from league.core.verify.run import verify_league
from league.models import League, RatingChange
from ratings.contract.declarations import GameSheet
from ratings.run.replay import rate_game
from ratings.systems.glicko2 import Glicko2
from tests.helpers.api_client import Api
from tests.helpers.builders import derived, make_league, record, sheet

pytestmark = pytest.mark.django_db
FIRST = datetime(2024, 1, 5, 19, 30, tzinfo=UTC)
#: Who played whom so many days after the first evening, and the first one's score.
PLAYED = ((0, "anna", "ben", 1.0), (0, "cleo", "dan", 0.5), (45.25, "anna", "cleo", 0.0), (300, "ben", "anna", 1.0))


def a_game(day: float, one: str, other: str, score: float) -> Any:
    """Return a sheet of a game of two."""
    return sheet((one, other), (score, 1.0 - score), played_at=FIRST + timedelta(days=day))


def by_hand() -> dict[str, list[float]]:
    """Return where everybody stands after all games, a game at a time, with the days of absence counted here."""
    states: dict[str, list[float]] = {}
    first = (FIRST - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(days=1)
    for day, one, other, score in PLAYED:
        before = [states.get(name, Glicko2().start()) for name in (one, other)]
        played = [int(name in states) for name in (one, other)]
        rated = rate_game(Glicko2(), before, played, GameSheet((score, 1 - score), (None, None), day=first + day))
        states |= dict(zip((one, other), rated.after, strict=True))
    return states


def stands(league: League) -> dict[str, list[float]]:
    """Return the state of everybody by the last lines of the history."""
    lines = RatingChange.objects.filter(league=league).order_by("at", "order_key").select_related("player")
    return {line.player.handle: [line.after, line.state_1, line.state_2, line.state_3] for line in lines}


def test_games_are_rated_with_the_days_since_the_last_one() -> None:
    league = make_league("glicko2")
    for game in PLAYED:
        record(league, a_game(*game))
    assert stands(league) == by_hand()
    assert verify_league(league.pk).differences == []


def test_a_late_game_and_an_import_end_where_the_order_of_time_does() -> None:
    late, imported = make_league("glicko2"), make_league("glicko2", slug="other")
    for game in (PLAYED[3], PLAYED[0], PLAYED[2], PLAYED[1]):
        record(late, a_game(*game))
    lines = [
        json.dumps({
            "played_at": (FIRST + timedelta(days=day)).isoformat(),
            "results": [{"player": one, "score": score}, {"player": other, "score": 1 - score}],
        })
        for day, one, other, score in PLAYED
    ]  # fmt: skip
    import_games(imported.pk, BytesIO("\n".join(lines).encode()), ImportOptions(by="test", media="ndjson"))
    assert stands(late) == stands(imported) == by_hand()
    assert verify_league(late.pk).differences == verify_league(imported.pk).differences == []


def test_a_void_game_in_between_counts_the_absence_anew_and_would_count_with_its_own_day() -> None:
    league, without = make_league("glicko2"), make_league("glicko2", slug="other")
    games = [record(league, a_game(*game)) for game in PLAYED]
    moved = RatingChange.objects.filter(league=league, number=3).values_list("player_id", "change")
    before = dict(moved)
    void_game(league.pk, 3, reason="Never played.", username="test")
    for game in (PLAYED[0], PLAYED[1], PLAYED[3]):
        record(without, a_game(*game))
    assert [row[6:13] for row in derived(league)[0]] == [row[6:13] for row in derived(without)[0]]
    lines = list(games[2].results.select_related("player").order_by("seat"))
    league.refresh_from_db()
    assert compute_changes_if_counted(league, games[2], lines, list(league.rules.all())) == before


def test_what_if_and_explanation_count_the_same_days_as_the_game_itself() -> None:
    league = make_league("glicko2")
    for game in PLAYED[:3]:
        record(league, a_game(*game))
    foretold = compute_what_if(league, a_game(*PLAYED[3])).outcomes[0][1]
    record(league, a_game(*PLAYED[3]))
    explained = explain_game(League.objects.get(pk=league.pk), 4).rated
    lines = RatingChange.objects.filter(league=league, number=4).order_by("seat")
    assert foretold.change == explained.change == [line.change for line in lines]
    # Ben was away for 300 days: √(RD² + 173.7178² σ² · 10).
    ben = by_state(league, "ben", 1)
    grown = math.sqrt(ben[1] ** 2 + 173.7178**2 * ben[2] ** 2 * 10)
    assert explained.figures[0][3] == pytest.approx(grown)


def by_state(league: League, handle: str, games: int) -> list[float]:
    """Return a player's state after so many games."""
    line = RatingChange.objects.get(league=league, player__handle=handle, games=games)
    return [line.after, line.state_1, line.state_2, line.state_3]


def test_a_game_without_a_time_is_foretold_as_one_of_now() -> None:
    league = make_league("glicko2")
    record(league, a_game(*PLAYED[0]))
    soon = compute_what_if(league, sheet(("anna", "ben"), (1, 0), played_at=FIRST)).outcomes[0][1]
    now = compute_what_if(league, sheet(("anna", "ben"), (1, 0), played_at=None)).outcomes[0][1]
    # Years have gone by since, so a result says more.
    assert now.figures[0][3] > soon.figures[0][3]


def test_the_api_shows_deviation_volatility_and_who_is_provisional() -> None:
    league = make_league("glicko2", visibility="public")
    record(league, a_game(*PLAYED[0]))
    (first, _) = Api().get("leagues/club/leaderboard/").json()["results"]
    assert first["player"] == "anna"
    assert first["provisional"] is True
    assert first["state"]["deviation"] == pytest.approx(290.23050778223865)
    assert set(first["state"]) == {"rating", "deviation", "volatility", "last_day"}


def test_pages_leave_out_what_the_sums_alone_need(client: Client) -> None:
    league = make_league("glicko2", visibility="public")
    record(league, a_game(*PLAYED[0]))
    for address in ("/leagues/club/", "/leagues/club/players/anna/", "/leagues/club/games/1/"):
        page = client.get(address).content.decode()
        assert "Day of the last game" not in page
        # The day of the game in 2024: 19727.8125.
        assert "19,727" not in page.replace("\N{NARROW NO-BREAK SPACE}", ",")
    # The volatility is in the full calculation, not among the figures of a player.
    assert "Volatility" in client.get("/leagues/club/games/1/").content.decode()
    assert "Volatility" not in client.get("/leagues/club/players/anna/").content.decode()
