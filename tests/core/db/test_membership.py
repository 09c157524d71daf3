"""Lookups of lists: any number of values is one parameter, on both databases, with the rows that Python finds."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.db.models import Value, prefetch_related_objects
from django.test.utils import CaptureQueriesContext

from league.core.db.membership import AnyOf
from league.core.ladders.selectors.touches import find_last_touch
from league.core.leagues.services.adjustments import AdjustmentData, adjust
from league.core.players.selectors.aliases import build_mention_condition
from league.core.players.selectors.external_ids import load_players_by_external_id
from league.models import ExternalId, Game, Job, Player, Result
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.ladder_builders import make_ladder
from tests.helpers.limits import few_parameters

pytestmark = [pytest.mark.django_db, pytest.mark.engine]
STARTED = datetime(2024, 3, 1, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _lowered() -> Iterator[None]:
    with few_parameters():
        yield


def make_players(count: int) -> list[Player]:
    players = [Player(handle=f"p{number}", name=f"Zoë “{number}”, 'x'\\") for number in range(count)]
    Player.objects.bulk_create(players)
    for number, player in enumerate(players):
        player.created_at = STARTED + timedelta(seconds=number, microseconds=number)
    Player.objects.bulk_update(players, ["created_at"])
    return players


@pytest.mark.parametrize("field", ["pk", "handle", "name", "created_at"])
def test_a_list_of_any_length_finds_what_python_finds(field: str) -> None:
    players = make_players(60)
    stored = {player.pk: getattr(player, field) for player in players}
    drawn = random.Random(field)
    for count in (0, 1, 20, 21, 1000):
        strangers: dict[str, Any] = {
            "pk": [*range(10**9, 10**9 + count), 2**63, -(10**30)],
            "created_at": [STARTED - timedelta(seconds=number) for number in range(1, count + 1)],
        }
        others = strangers.get(field, [f"stranger {number}\\\"'%s%" for number in range(count)])
        wanted = [*(getattr(player, field) for player in drawn.sample(players, min(count, 37))), *others][:count]
        expected = {pk for pk, value in stored.items() if value in wanted}
        rows = Player.objects.values_list("pk", flat=True)
        assert set(rows.filter(**{f"{field}__in": wanted})) == expected
        assert set(rows.exclude(**{f"{field}__in": [*wanted, None]})) == {*stored} - expected


def test_whole_numbers_of_every_size_of_column_are_compared_at_once() -> None:
    """psycopg has a subclass of int for each size."""
    league = make_league("elo", ("anna", "ben"))
    for minutes in range(3):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=minutes))
    assert Result.objects.filter(seat__in=range(1000)).count() == 6
    assert Game.objects.filter(number__in=[2, *range(4, 1000)]).count() == 1
    assert Game.objects.filter(order_key__in=[3, *range(10**9, 10**9 + 1000)]).count() == 1


@pytest.mark.parametrize("count", [0, 1, 60, 3000])
def test_any_of_finds_what_a_list_finds(count: int) -> None:
    players = make_players(60)
    wanted = [*(player.pk for player in players[::2]), *range(10**9, 10**9 + count)][:count]
    rows = Player.objects.values_list("pk", flat=True)
    found = {pk for pk in (player.pk for player in players) if pk in wanted}
    assert set(rows.filter(AnyOf("pk", wanted))) == found
    assert set(rows.exclude(AnyOf("pk", wanted))) == {player.pk for player in players} - found


def test_numbers_that_no_column_holds_find_nothing() -> None:
    make_players(1)
    assert not Player.objects.filter(pk__in=range(2**63, 2**63 + 300)).exists()


def test_keys_of_other_kinds_are_found() -> None:
    league = make_league("elo")
    job = Job.objects.create(league=league, kind=Job.Kind.VERIFY, asked_at=STARTED)
    assert Job.objects.get(pk__in=[job.pk, *(uuid4() for _ in range(300))]) == job


def test_both_sides_of_a_key_are_fetched_for_any_number_of_rows() -> None:
    league = make_league("elo", ("anna", "ben"))
    for _ in range(3):
        record(league, sheet(("anna", "ben"), (1, 0)))
    results = list(Result.objects.order_by("pk"))
    lines = [
        *results,
        *(Result(pk=10**9 + n, league=league, player_id=10**9 + n, game_id=10**9 + n) for n in range(300)),
    ]
    with CaptureQueriesContext(
        connection,
    ) as queries:
        prefetch_related_objects(lines, "player__merged_into", "game__results")
    assert len(queries) == 3
    assert [line.player.handle for line in lines[:6]] == ["anna", "ben"] * 3
    assert [len(line.game.results.all()) for line in lines[:6]] == [2] * 6
    games = [*Game.objects.order_by("pk"), *(Game(pk=10**9 + number, league=league) for number in range(300))]
    prefetch_related_objects(games, "results__player")
    assert [[line.player.handle for line in game.results.all()] for game in games[:3]] == [["anna", "ben"]] * 3


def test_conditions_about_many_things_do_not_grow_with_them() -> None:
    league = make_league("elo", ("anna", "ben"))
    ladder = make_ladder(league)
    for hour in (0, 2):
        record(league, sheet(("anna", "ben"), (1, 0), played_at=STARTED + timedelta(hours=hour)))
    later, players = STARTED + timedelta(hours=1), make_players(90)
    ExternalId.objects.create(player=players[7], provider="fide", value="1503014")
    pairs = [("fide", "1503014"), ("uscf", "1503014"), *(("fide", str(number)) for number in range(300))]
    assert load_players_by_external_id(pairs) == {("fide", "1503014"): players[7]}
    noted = Player.objects.annotate(text=Value('{"player":"p89"} p8'))
    assert noted.filter(build_mention_condition("text", players)).exists()
    assert not noted.filter(build_mention_condition("text", players[:89])).exists()
    for number in range(70):
        adjust(league.pk, Player.objects.get(handle="anna"), AdjustmentData(1.0, f"{number}", later), username="olga")
    touched = find_last_touch(league, ladder.periods.earliest("starts_at"))
    assert touched == league.log.latest("position").at


def test_a_long_row_of_rows_is_inserted_in_several_statements() -> None:
    league = make_league("elo", tuple(f"p{number}" for number in range(80)))
    names, scores = [f"p{number}" for number in range(80)], [float(number) for number in range(80)]
    game = record(league, sheet(tuple(names), tuple(scores)))
    assert [line.score for line in game.results.order_by("seat")] == scores
