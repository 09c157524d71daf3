"""Settings and documents of competitions in which one member is another value: a sentence, never the server's fault."""

import json
from io import BytesIO
from random import Random
from typing import Any

import pytest
from django.db import transaction

from league.core.errors import Invalid
from league.core.transfer.services.restore import restore_league
from league.models import League
from tests.apps.competitions.files.trf_texts import FIVE
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league
from tests.helpers.members import replace_members
from tests.helpers.restore_builders import export_of, sealed_file
from tests.helpers.team_texts import FILE as TEAMS
from tests.helpers.tiers import examples, long_way

pytestmark = [pytest.mark.django_db, pytest.mark.engine]
COMPETITIONS = "leagues/club/competitions/"
#: The cases of issue 46.
KNOWN = [("format", {}), ("sides_of", "x"), ("tie_break_rules", 1.5), ("points", {"loss": None})]


def build(text: str = FIVE) -> tuple[Api, str, Any]:
    """Import a tournament; return the API, its slug, and its document."""
    make_league("elo", players=())
    api = Api("organise")
    brought = api.post_file(f"{COMPETITIONS}import/?create_players=true", text, "text/plain")
    assert brought.status_code == 201, brought.data
    slug = brought.data["slug"]
    return api, slug, json.loads(api.get(f"{COMPETITIONS}{slug}/export/?format=json").content)


def draw(document: Any, count: int, seed: int) -> list[tuple[str, Any]]:
    """Return so many of the changed documents."""
    every = list(replace_members(document))
    return Random(seed).sample(every, min(examples(count), len(every)))


@long_way
@pytest.mark.parametrize("text", [FIVE, TEAMS], ids=["players", "teams"])
def test_a_changed_document_is_imported_or_refused(text: str) -> None:
    api, _slug, document = build(text)
    known = [("", {**document, "competition": {**document["competition"], name: value}}) for name, value in KNOWN]
    for pointer, changed in [*known, *draw(document, 400, 1)]:
        with transaction.atomic():
            answer = api.post_file(f"{COMPETITIONS}import/?title=Copy", json.dumps(changed), "application/json")
            transaction.set_rollback(True)
        assert answer.status_code < 500, (pointer, answer.data)
        assert answer.status_code < 400 or answer.data["detail"], pointer


@pytest.mark.slow("Draws many settings; the document above is drawn in the same way.")
def test_changed_settings_are_stored_or_refused_with_their_field() -> None:
    api, slug, document = build()
    settings = {name: value for name, value in document["competition"].items() if name not in ("slug", "status")}
    every = [(name, value) for name in settings for _at, value in replace_members(0)]
    for name, value in [*KNOWN, *Random(2).sample(every, min(len(every), examples(300)))]:
        with transaction.atomic():
            answers = [
                api.patch(f"{COMPETITIONS}{slug}/", {name: value}),
                api.post(COMPETITIONS, {"title": "Other", "format": "swiss", name: value}),
            ]
            transaction.set_rollback(True)
        assert all(answer.status_code < 500 for answer in answers), (name, value)


@long_way
def test_a_changed_line_of_an_export_is_restored_or_refused() -> None:
    build()
    lines = export_of(League.objects.get(slug="club"))
    dice = Random(3)
    for at in dice.choices(range(len(lines) - 1), k=examples(40)):
        for pointer, changed in draw(json.loads(lines[at]), 10, at):
            told = sealed_file([*lines[:at], json.dumps(changed), *lines[at + 1 :]])
            assert restore(told), (at, pointer)


def restore(told: BytesIO) -> str:
    """Return what restoring a file says, and take it back; raises what is not for its reader."""
    with transaction.atomic():
        try:
            return str(restore_league(told, slug="again", known_players=True, by="root"))
        except Invalid as error:
            return error.detail
        finally:
            transaction.set_rollback(True)
