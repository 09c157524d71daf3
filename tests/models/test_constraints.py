"""The second line: what the database itself refuses, whatever the code above it does."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.db import DataError, IntegrityError, transaction

from league.core.games.services.game_input import NewGame
from league.models import Alias, Game, InitialRating, League, Player, Result, Rule, Token
from tests.helpers.builders import EVENING, make_league, record, sheet

pytestmark = [pytest.mark.engine, pytest.mark.django_db]

DAY = datetime(2024, 1, 1, tzinfo=UTC)


def game(**more: Any) -> Game:
    """Write a game behind the services' back."""
    moments = {"played_at": EVENING, "recorded_at": EVENING}
    values = {"league": League.objects.get(), "number": 99, "order_key": 99, **moments}
    return Game.objects.create(**{**values, **more})


def result(**more: Any) -> Result:
    """Write a result behind the services' back."""
    made, cleo = Game.objects.get(number=1), Player.objects.get(handle="cleo")
    values = {"league": made.league, "game": made, "seat": 3, "player": cleo, "score": 1.0}
    return Result.objects.create(**{**values, **more})


SABOTAGE: dict[str, Callable[[], object]] = {
    "a number twice": lambda: game(number=1),
    "a number below one": lambda: game(number=0),
    "two games that count in one place": lambda: game(order_key=1),
    "an order key below one": lambda: game(order_key=0, voided_at=EVENING),
    "an external id twice": lambda: game(external_id="s/1"),
    "an empty external id": lambda: game(external_id=""),
    "an unknown kind": lambda: game(kind="skirmish"),
    "a reason without a void": lambda: game(void_reason="because"),
    "a seat twice": lambda: result(seat=2),
    "seat zero": lambda: result(seat=0),
    "a hundred and first seat": lambda: result(seat=101),
    "a player twice in a game": lambda: result(player=Player.objects.get(handle="ben")),
    "an infinite score": lambda: result(score=float("inf")),
    "an absurd score": lambda: result(score=2e9),
    "place zero": lambda: result(place=0),
    "a handle twice": lambda: Player.objects.create(handle="anna", name="Other"),
    "a player without a handle": lambda: Player.objects.create(handle="", name="Other"),
    "a player without a name": lambda: Player.objects.create(handle="other", name=""),
    "a spelling twice": lambda: Alias.objects.create(player=Player.objects.get(handle="ben"), text="Anna", key="anna"),
    "an alias without a key": lambda: Alias.objects.create(player=Player.objects.get(handle="ben"), text="", key=""),
    "a slug twice": lambda: League.objects.create(slug="club", title="Other"),
    "a league without a title": lambda: League.objects.create(slug="other", title=""),
    "a league of unknown visibility": lambda: League.objects.create(slug="other", title="Other", visibility="half"),
    "a league that lists from nothing": lambda: League.objects.create(slug="other", title="Other", min_games=0),
    "two rules of a day": lambda: Rule.objects.create(
        league=League.objects.get(), from_date=date(1800, 1, 1), starts_at=DAY, system="elo"
    ),
    "two rules of an instant": lambda: Rule.objects.create(
        league=League.objects.get(), from_date=date(1801, 1, 1), starts_at=Rule.objects.get().starts_at, system="elo"
    ),
    "two starts of a player": lambda: InitialRating.objects.create(
        league=League.objects.get(), player=Player.objects.get(handle="anna"), rating=1.0
    ),
    "an infinite start": lambda: InitialRating.objects.create(
        league=League.objects.get(), player=Player.objects.get(handle="ben"), rating=float("inf")
    ),
    "a token of unknown scope": lambda: Token.objects.create(name="t", prefix="p", digest="d", scope="all"),
}


def test_the_database_refuses() -> None:
    league = make_league(starts={"anna": 1400.0})
    record(league, sheet(("anna", "ben"), (1, 0), external_id="s/1"))
    for what, sabotage in SABOTAGE.items():
        try:
            with transaction.atomic():
                sabotage()
        except (IntegrityError, DataError):
            continue
        pytest.fail(f"The database takes {what}.")


def test_not_a_number_is_no_score() -> None:
    league = make_league()
    record(league, NewGame(sheet(("anna", "ben"), (1, 0)).results, played_at=EVENING))
    try:
        with transaction.atomic():
            result(score=float("nan"))
    except (IntegrityError, DataError):
        return
    # SQLite has no NaN: it stores "no score".
    assert Result.objects.get(seat=3).score is None
