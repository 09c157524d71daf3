"""Values that not everyone may read are in no answer to strangers: every address of the document and pages are read."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.test import Client

from league.core.fields.services.fields import NewField, declare_field
from league.core.players.services.players import set_fields
from league.models import League, Player
from tests.fuzz.answers import ask
from tests.fuzz.books import PLAYERS, seed
from tests.fuzz.cases import BEFORE
from tests.helpers.api_client import Api
from tests.helpers.builders import record, sheet
from tests.helpers.openapi_document import read_document

pytestmark = [pytest.mark.django_db, pytest.mark.slow("It reads every address of the document.")]
CANARY = "c4n4ry"
PAGES = ("", "games/", "games/{number}/", "players/pedja/", "versus/pedja/marko/", "feed.xml", "corrections/", "log/")


def plant() -> int:
    """Give a game, its seats and a player values for members and organisers; the game's number."""
    league = League.objects.get(slug="preferans")
    for visible in ("members", "organisers"):
        for of in ("game", "seat", "player"):
            field = NewField(f"{of}_{visible}", f"{CANARY} {of}", of, "text", visible=visible)
            declare_field(league.pk, field, username="olga")
    values = {of: {f"{of}_{visible}": CANARY for visible in ("members", "organisers")} for of in ("game", "seat")}
    latest = league.games.latest("played_at").played_at
    new = sheet(PLAYERS, (60, 40, -100), played_at=latest + timedelta(hours=1), details={"bula": 30})
    results = [replace(line, fields=values["seat"]) for line in new.results]
    game = record(league, replace(new, results=results, fields=values["game"]))
    of_player = {f"player_{visible}": CANARY for visible in ("members", "organisers")}
    set_fields(league.pk, Player.objects.get(handle="pedja"), of_player, username="olga")
    return game.number


def body_of(answer: object) -> str:
    """Return the whole body of an answer."""
    streamed = getattr(answer, "streaming_content", None)
    return (b"".join(streamed) if streamed is not None else answer.content).decode()  # type: ignore[attr-defined]


def test_no_answer_to_strangers_has_a_withheld_value() -> None:
    headers = seed()
    number = plant()
    strange, organiser, seen, asked = Api(), Api(), 0, 0
    organiser.headers = headers
    for path, methods in read_document()["paths"].items():
        # What something must be done for first strangers cannot do.
        if "get" in methods and "/docs/" not in path and methods["get"]["operationId"] not in BEFORE:
            answer = ask(strange, path, "get", methods["get"])
            assert CANARY not in body_of(answer), path
            asked += answer.status_code == 200
            seen += CANARY in body_of(ask(organiser, path, "get", methods["get"]))
    for page in PAGES:
        answer = Client().get(f"/leagues/preferans/{page.format(number=number)}")
        assert CANARY not in body_of(answer), page
    # Strangers read most addresses, and organisers do find the values: lest nothing were planted.
    assert asked > 30 and seen >= 4
