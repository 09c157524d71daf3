"""Lines of the log, of exports and of batches, and what webhooks are sent: each as the OpenAPI document describes it.

The document's schemas are closed here: a member that a line has and its schema has not is found.
"""

import json
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from openapi_schema_validator import OAS31Validator

from league.apps.notices.models import Notice
from league.apps.notices.services.chat import render_body
from league.apps.webhooks.models import Webhook
from league.apps.webhooks.services import deliveries
from league.core.games.services.record import void_game
from league.core.log.kinds import list_kinds
from league.core.transfer.selectors.exports_csv import COLUMNS
from league.core.transfer.services.reading import find_shape, list_line_types
from league.models import Game, Job
from league.web.api.openapi.described import JOBS
from league.web.api.openapi.lines import list_exported, list_payloads
from tests.helpers.api_client import Api, game
from tests.helpers.builders import make_league, record
from tests.helpers.ladder_builders import duel
from tests.helpers.openapi_document import read_document

GOLDEN = Path(__file__).parents[1] / "core" / "log" / "golden"
#: Kinds of entries that the golden logs have not.
ELSEWHERE = {
    "text.erased": {"position": 3},
    "player.erased": {"player": "~00112233445566778899"},
    "edition.redacted": {"ladder": "month", "period": "2024-03", "edition": 1, "sha256": "0" * 64},
    "report.reworded": {"report": "00000000-0000-0000-0000-000000000009", "seal": "0" * 64},
    "link.reworded": {"link": "00000000-0000-0000-0000-000000000005", "seal": "0" * 64},
    "clock.accepted": {"behind": "2024-03-10T00:00:00.000000Z"},
}
LINE = {"at": "2024-03-10T00:00:00.000000Z", "by": "", "position": 1, "previous": "0" * 64, "sha256": "0" * 64}


def close(value: Any) -> None:
    """Let objects have no members but those that are described."""
    if isinstance(value, dict):
        if "properties" in value:
            value.setdefault("additionalProperties", False)
        for inner in value.values():
            close(inner)
    elif isinstance(value, list):
        for inner in value:
            close(inner)


@cache
def components() -> dict[str, Any]:
    """Return the document's components, closed."""
    found = deepcopy(read_document()["components"])
    close(found)
    return dict(found)


def faults(value: Any, schema: dict[str, Any]) -> list[str]:
    """Return what is wrong with a value."""
    return [error.message for error in OAS31Validator({**schema, "components": components()}).iter_errors(value)]


def reference(name: str) -> dict[str, Any]:
    """Return a schema by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


def golden(pattern: str) -> Iterator[dict[str, Any]]:
    """Yield the lines of golden files."""
    for file in GOLDEN.glob(pattern):
        yield from map(json.loads, file.read_bytes().splitlines())


def test_every_kind_of_entry_is_described() -> None:
    lines = [*golden("*.log"), *({**LINE, "kind": kind, "payload": said} for kind, said in ELSEWHERE.items())]
    assert {line["kind"] for line in lines} == set(list_kinds())
    assert sorted(kind for kinds, _ in list_payloads().values() for kind in kinds) == sorted(list_kinds())
    for line in lines:
        assert faults(line, reference("LogEntry")) == [], line["kind"]
        told = components()["schemas"]["LogEntry"]["discriminator"]["mapping"][line["kind"]]
        assert faults(line, {"$ref": told}) == [], line["kind"]
    assert faults({**lines[0], "kind": "game.forgotten"}, reference("LogEntry")) != []


def test_every_line_of_an_export_is_described_as_it_is_restored() -> None:
    shapes = {kind: find_shape(kind) or ({}, {}) for kind in list_line_types()}
    assert {kind: members.keys() for kind, members in list_exported().items()} == {
        kind: members.keys() for kind, (members, _) in shapes.items()
    }
    for kind, (_, defaults) in shapes.items():
        schema = components()["schemas"][components()["schemas"]["ExportLine"]["discriminator"]["mapping"][kind][21:]]
        assert schema["properties"].keys() - set(schema["required"]) == defaults.keys(), kind
    lines = list(golden("*.ndjson"))
    assert {line["type"] for line in lines} == set(shapes)
    for line in lines:
        assert faults(line, reference("ExportLine")) == [], line["type"]
    assert list(components()["schemas"]["ExportRow"]["properties"])[: len(COLUMNS)] == list(COLUMNS)
    for name in ("metadata", "external_ids"):
        player = {**next(line for line in lines if line["type"] == "player"), name: {"a": 1}}
        assert faults(player, reference("ExportedPlayer")) == ["1 is not of type 'string'"]


def test_every_kind_of_job_has_one_schema() -> None:
    assert sorted(kind for kinds, _ in JOBS.values() for kind in kinds) == sorted(Job.Kind.values)
    assert components()["schemas"]["JobShape"]["discriminator"]["mapping"].keys() == set(Job.Kind.values)


@pytest.mark.django_db
def test_every_line_of_a_batch_is_described() -> None:
    make_league()
    sent = game(("anna", 1), ("ben", 0), external_id="s/1")
    lines = Api("record").post("leagues/club/games/batch/?format=json", [sent, sent, {"results": 5}]).data
    assert [line["status"] for line in lines] == [201, 200, 400]
    assert [faults(line, reference("BatchLine")) for line in lines] == [[], [], []]
    for line, name in zip(lines, ("RecordedLine", "KnownLine", "RefusedLine"), strict=True):
        assert faults(line, reference(name)) == []


def sent_to(webhook: Webhook) -> Iterator[tuple[str, Any]]:
    """Yield what a webhook is sent of a small league: the name of the event, and the body."""
    league = webhook.league
    record(league, duel("anna", "ben", "2024-03-10", note="At home"))
    void_game(league.pk, Game.objects.get().number, reason="A friendly.", username="olga")
    for entry in league.log.order_by("position").values("position", "at", "by", "kind", "payload", "sha256"):
        yield entry["kind"], json.loads(deliveries.build_entry_message(webhook, {**entry}).body)
    yield "webhook.test", json.loads(deliveries._build_test_message(webhook).body)
    facts = {"by": "olga", "line": 2, "problems": 1, "refusal": "Line 2: there is no player “zoe”."}
    kind = Notice.Kind.IMPORT_FAILED
    notice = Notice(league=league, number=1, kind=kind, subject="x", at=timezone.now(), facts=facts)
    for form in (Webhook.Format.DISCORD, Webhook.Format.SLACK, Webhook.Format.MATRIX):
        for told in (notice, None):
            yield f"notice.{form}", json.loads(render_body(form, league, told))


@pytest.mark.django_db
def test_every_body_of_a_webhook_is_described(settings: Any) -> None:
    settings.RUNGS_ORIGIN = "https://club.example"
    hooks = read_document()["webhooks"]
    chats = {f"notice.{form}" for form in set(Webhook.Format.values) - {Webhook.Format.STANDARD}}
    assert set(hooks) == {*list_kinds(), "webhook.test", *chats}
    names = set()
    for name, body in sent_to(Webhook(league=make_league())):
        schema = hooks[name]["post"]["requestBody"]["content"]["application/json"]["schema"]
        assert faults(body, schema) == [], name
        names.add(name)
    assert {"league.created", "rule.adopted", "game.recorded", "game.voided", "webhook.test", *chats} <= names
