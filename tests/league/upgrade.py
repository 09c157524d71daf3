"""Run by test_upgrade as a program: an empty database is brought to an old state, filled, and brought up to date.

Prints as JSON what the books say then.
"""

import json
from datetime import UTC, date, datetime, timedelta
from typing import Any

import django

EVENING = datetime(2024, 3, 5, tzinfo=UTC)
#: Games of one evening, all of one time: winner, loser, number of the game replaced.
GAMES = (("anna", "ben", None), ("ben", "cleo", None), ("cleo", "anna", None), ("cleo", "ben", 2), ("ben", "cleo", 4))
BEFORE = ("league", "0007_sign")


def fill(apps: Any) -> None:
    """Write a league as it stood before there was a log, with a game that was corrected twice and a void one."""
    models = {name: apps.get_model("league", name) for name in ("League", "Rule", "Player", "Alias", "Game", "Result")}
    league = models["League"].objects.create(slug="club", title="Club", last_number=len(GAMES))
    models["Rule"].objects.create(
        league=league, from_date=date(1800, 1, 1), starts_at=datetime(1800, 1, 1, tzinfo=UTC), system="elo",
        parameters={"k": 32},
    )  # fmt: skip
    players = {}
    for handle in ("anna", "ben", "cleo"):
        players[handle] = models["Player"].objects.create(handle=handle, name=handle.title())
        models["Alias"].objects.create(player=players[handle], text=handle, key=handle)
    players["cleo"].active = False
    players["cleo"].save()
    games: dict[int, Any] = {}
    for number, (winner, loser, replaced) in enumerate(GAMES, start=1):
        games[number] = models["Game"].objects.create(
            league=league, number=number, played_at=EVENING, recorded_at=EVENING + timedelta(hours=number),
            recorded_by="olga", replaces=games.get(replaced or 0),
        )  # fmt: skip
        for seat, (who, score) in enumerate(((winner, 1.0), (loser, 0.0)), start=1):
            models["Result"].objects.create(game=games[number], seat=seat, player=players[who], score=score)
    for number, later in ((2, 4), (4, 5)):
        old = games[number]
        old.voided_at, old.voided_by, old.void_reason = games[later].recorded_at, "olga", "misread"
        old.save()


def main() -> None:
    """Do it all."""
    django.setup()
    from django.core.management import call_command
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    call_command("migrate", *BEFORE, verbosity=0)
    fill(MigrationExecutor(connection).loader.project_state([BEFORE]).apps)
    call_command("migrate", verbosity=0)
    from league.models import Game, League, RatingChange
    from league.services.replay import replay_from
    from league.services.verify import verify_league

    league = League.objects.get()
    stale = [league.stale_from is not None, league.stale_key]
    replay_from(league, None)
    order = RatingChange.objects.order_by("at", "order_key", "seat").values_list("number", flat=True)
    said = {
        "keys": list(Game.objects.order_by("number").values_list("order_key", flat=True)),
        "stale": stale,
        "order": list(dict.fromkeys(order)),
        "differences": verify_league(league.pk).differences,
    }
    print(json.dumps(said))


if __name__ == "__main__":
    main()
