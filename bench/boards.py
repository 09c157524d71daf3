"""Benchmark of boards by filter in a league of many players, against the whole board."""

from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from django.db import connection, transaction
from django.test import Client

from bench.database import add_players
from bench.pages import Cost, answer
from league.core.db.columns import is_postgres
from league.core.db.statements import execute_query
from league.core.fields.services.fields import NewField, declare_field
from league.core.leagues.services.leagues import create_league
from league.models import PlayerValue, Rating

SLUG = "boards"
FIELDS = (
    NewField("club", "Club", "player", "choice", [f"club {number}" for number in range(100)]),
    NewField("country", "Country", "player", "choice", ["SRB", "MNE", "HRV"]),
    NewField("born", "Born", "player", "number"),
)
#: The measured queries, by what they choose.
QUERIES = {
    "all": "min_games=1",
    "a club of 1 %": "club=club 7",
    "a country of 1/3": "country=SRB",
    "30 years of 60": "born_from=1960&born_to=1989",
    "all three": "club=club 7&country=SRB&born_from=1960&born_to=1989",
    "the next page of a country": "country=SRB&limit=100&after=",
}


def measure(players: int, rounds: int) -> dict[str, Any]:
    """Measure a league of so many players with values of three fields."""
    league = create_league(SLUG, SLUG, system="elo", by="bench")
    fields = [declare_field(league.pk, new, username="bench").pk for new in FIELDS]
    keys, chance = add_players(SLUG, players), np.random.default_rng(1)
    now = datetime.now(UTC)
    Rating.objects.bulk_create(
        [
            Rating(league=league, player_id=key, rating=value, settled=value, score=value, games=9, last_at=now,
                   last_number=1, change=0, peak=value)
            for key, value in zip(keys.tolist(), np.round(chance.normal(1500, 200, players), 3).tolist(), strict=True)
        ],
        batch_size=2000,
    )  # fmt: skip
    clubs, countries, years = (chance.integers(0, size, players).tolist() for size in (100, 3, 60))
    values = [
        (fields[0], [f"club {number}" for number in clubs]),
        (fields[1], [FIELDS[1].choices[number] for number in countries]),
        (fields[2], [str(1950 + number) for number in years]),
    ]
    with transaction.atomic():
        PlayerValue.objects.bulk_create(
            [
                PlayerValue(league=league, field_id=field, player_id=key, value=value)
                for field, texts in values
                for key, value in zip(keys.tolist(), texts, strict=True)
            ],
            batch_size=2000,
        )
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if is_postgres() else "ANALYZE")
    settings.ALLOWED_HOSTS = ["*"]
    client = Client()
    backend = Path(f"/proc/{execute_query('SELECT pg_backend_pid()')[0][0]}/schedstat") if is_postgres() else None
    figures: dict[str, Any] = {"players": players}
    for name, query in QUERIES.items():
        path, cost = f"/api/v1/leagues/{SLUG}/leaderboard/?{query}", Cost()
        if query.endswith("after="):
            path = client.get(path.removesuffix("&after=")).json()["next"]
        answer(client, path)
        for _ in range(rounds):
            cost.take(partial(answer, client, path), backend)
        figures[f"{name}, wall_ms"] = 1000 * cost.wall
        figures[f"{name}, processors_ms"] = 1000 * min(cost.sums)
        figures[f"{name} / all"] = min(cost.sums) / (figures["all, processors_ms"] / 1000)
    return figures
