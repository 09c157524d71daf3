"""A rule of a day to come, with another system, judges none of today's games; when it begins, it leaves some out."""

import json
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client
from django.utils import timezone

from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import Game, League, Rating
from tests.helpers.api_client import Api
from tests.helpers.builders import FOUR, derived, make_league, record, sheet
from tests.helpers.desk_client import PAD, sheet_fields
from tests.helpers.import_client import Sender
from tests.helpers.restore_builders import export_of, lines_file
from tests.helpers.tiers import examples, long_way

pytestmark = pytest.mark.django_db

Seats = list[tuple[str, float]]


def send(face: str, seats: Seats, when: datetime, olga: Client) -> None:
    """Record a game by one of the ways."""
    number, at = Game.objects.count(), when.isoformat()
    body = {"played_at": at, "results": [{"player": player, "score": score} for player, score in seats]}
    if face == "pad":
        olga.post(PAD, sheet_fields(*((player, str(score)) for player, score in seats)))
    elif face == "api":
        Api("record", name=f"api{number}").post("leagues/club/games/", body)
    elif face == "batch":
        Api("record", name=f"batch{number}").post("leagues/club/games/batch/", [body])
    elif face == "csv":
        lines = "".join(f"{number},{at},{player},{score}\n" for player, score in seats)
        Sender("record", name=f"csv{number}").send(f"game_id,played_at,player,score\n{lines}", media="text/csv")
    else:
        line = json.dumps({"external_id": f"g{number}", **body})
        Sender("record", name=f"ndjson{number}").send(line)
    assert Game.objects.count() == number + 1, (face, seats)


def standings(league: League) -> list[Any]:
    """Return the current ratings."""
    rows = Rating.objects.filter(league=league).order_by("player__handle")
    return list(rows.values_list("player__handle", "rating", "state_1", "state_2"))


@long_way
@pytest.mark.parametrize("seed", range(examples(8)))
def test_today_s_games_are_judged_by_today_s_rule(seed: int, olga: Client) -> None:
    random = Random(seed)
    old, new = random.choice(["elo", "weng_lin", "trueskill"]), random.choice(["glicko", "glicko2"])
    league, day = make_league(old), (timezone.now() + timedelta(days=random.randint(2, 400))).date()
    rule = {"system": new, "from": day.isoformat(), "start": "replayed"}
    assert Api("organise", name="rules").post("leagues/club/rules/", rule).status_code == 201
    faces = ["pad", "api", "batch", "csv", "ndjson"] * 2
    random.shuffle(faces)
    for minute, face in enumerate(faces):
        players = random.sample(FOUR, 3 if minute < 2 else random.randint(2, 3))
        seats = [(player, float(random.randint(0, 3))) for player in players]
        send(face, seats, timezone.now() - timedelta(minutes=90 - minute), olga)
    # The game that begins the new rule's time: ratings are those of a league that had only the games of two.
    other = make_league(new, slug="other")
    last = datetime.combine(day, datetime.min.time(), UTC) + timedelta(days=1, hours=1)
    with patch.object(timezone, "now", lambda: last + timedelta(hours=1)):
        for game in Game.objects.filter(league=league).order_by("played_at", "order_key"):
            lines = list(game.results.order_by("seat").values_list("player__handle", "score"))
            if len(lines) == 2:
                names, scores = zip(*lines, strict=True)
                record(other, sheet(names, scores, played_at=game.played_at))
        for one in (league, other):
            record(one, sheet(("anna", "ben"), (1, 0), played_at=last))
        alike = {row[0] for row in standings(other)}
        assert [row for row in standings(league) if row[0] in alike] == standings(other)
        assert verify_league(league.pk).differences == []
        again = restore_league(lines_file(export_of(league)), slug="again", known_players=True, by="test").league
        assert derived(again) == derived(league)
