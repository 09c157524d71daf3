"""The examples of the document: what the app answers, of the shape that the document promises."""

import json
import os
import re
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import override_settings
from django.urls import resolve
from openapi_schema_validator import OAS31Validator

from league.web.api.openapi.document import ANSWERS, METHODS
from tests.fuzz.answers import ask, told
from tests.fuzz.books import seed, taken_back
from tests.helpers.api_client import Api
from tests.helpers.openapi_document import read_document

pytestmark = pytest.mark.django_db


def operations(whole: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """Return path, method and operation of each."""
    return [
        (path, method, operation)
        for path, methods in whole["paths"].items()
        for method, operation in methods.items()
        if method in METHODS
    ]


def answered() -> dict[str, dict[str, Any]]:
    """Return operation -> status -> the answer, of a small league."""
    api = Api()
    found: dict[str, dict[str, Any]] = {}
    api.headers = seed()
    for path, method, operation in operations(read_document()):
        name = operation["operationId"]
        queries = [("", 5000)]
        if any(one["name"] == "dry_run" for one in operation.get("parameters", [])):
            queries += [("?dry_run=true", 5000), ("?dry_run=true", 0)]
        browser = Api()
        browser.client.force_login(get_user_model().objects.get(username="oscar"))
        for query, inline in queries:
            with taken_back(), override_settings(RUNGS_INLINE_GAMES=inline):
                asker = browser if "/tokens/" in path else api
                answers = [ask(asker, path, method, operation, query)]
                if name in ("record_game", "record_fixture_result"):
                    answers.append(ask(asker, path, method, operation))
            for answer in answers:
                assert answer.status_code < 400, (name, answer.status_code, answer.data)
                if answer.data is not None:
                    found.setdefault(name, {}).setdefault(str(answer.status_code), told(answer))
    return found


def shape(value: Any) -> Any:
    """Return the names in a value."""
    return {name: shape(one) for name, one in value.items()} if isinstance(value, dict) else type(value) is list


def test_the_examples_of_answers_are_what_the_app_answers() -> None:
    """ANSWERS=write writes them anew."""
    now = answered()
    if os.environ.get("ANSWERS") == "write":
        ANSWERS.write_text(json.dumps(now, ensure_ascii=False, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    kept = json.loads(ANSWERS.read_text(encoding="utf-8"))
    assert shape(kept) == shape(now)


def test_every_example_fits_its_schema_and_every_body_answer_and_problem_has_one() -> None:
    whole = read_document()
    for _, _, operation in operations(whole):
        contents = [("request", operation.get("requestBody", {}).get("content", {}))]
        contents += [(status, answer.get("content", {})) for status, answer in operation["responses"].items()]
        for status, content in contents:
            for kind, described in content.items():
                where = (operation["operationId"], status, kind)
                if kind != "text/csv" or status == "request":
                    assert described.get("examples"), where
                if "json" not in kind or "ndjson" in kind:
                    continue
                validator = OAS31Validator({**described["schema"], "components": whole["components"]})
                for example in described["examples"].values():
                    assert [error.message for error in validator.iter_errors(example["value"])] == [], where


def test_every_kind_of_body_that_an_operation_takes_is_named_with_its_body() -> None:
    found = {}
    for path, method, operation in operations(read_document()):
        if "requestBody" in operation:
            body = operation["requestBody"]
            view = resolve(re.sub(r"{(\w+)}", "1", path)).func.view_class  # type: ignore[attr-defined]  # of Django
            taken = [parser.media_type for parser in view.parser_classes]
            named = [kind for kind in taken if kind in body["content"] or kind in body.get("description", "")]
            assert named == taken, (path, method)
            found[operation["operationId"]] = taken
    assert found["import_games"] == ["text/csv", "application/x-ndjson", "application/octet-stream"]
    assert found["record_batch"] == ["application/json", "application/x-ndjson"]


def test_every_operation_names_the_trouble_that_the_database_may_have() -> None:
    whole = operations(read_document())
    # A what-if, a lookup and fair sides are asked by POST and write nothing.
    asking = {"preview_game", "lookup_players", "balance_sides", "seat_tables"}
    writing = {one["operationId"] for _, method, one in whole if method != "get"} - asking
    named = {
        status: {one["operationId"] for *_, one in whole if status in one["responses"]} for status in ("503", "507")
    }
    assert named["503"] == {one["operationId"] for *_, one in whole}
    assert named["507"] == writing
    for *_, one in whole:
        for status in named.keys() & one["responses"].keys():
            assert "Retry-After" in one["responses"][status]["headers"]


@pytest.mark.parametrize(
    ("component", "good", "bad"),
    [
        ("LeaguePlayerInputRequest", [{"active": True}, {"initial_rating": 1200}], [{}]),
        ("PatchedLeaguePlayerInputRequest", [{"active": True}], [{}]),
        ("PatchedWebhookChangeRequest", [{"state": "disabled"}, {"resume": "now", "state": "active"}],
         [{"resume": "now"}, {"resume": "now", "state": "disabled"}]),
        ("RankingInputRequest",
         [{"method": "points", "cadence": "month"}, {"method": "points", "cadence": "month", "from": "2024-01-01"},
          {"method": "points", "cadence": "dated", "from": "2024-01-01", "to": "2024-02-01"}],
         [{"method": "points", "cadence": "month", "to": "2024-02-01"},
          {"method": "points", "cadence": "dated", "to": "2024-02-01"}]),
    ],
)  # fmt: skip
def test_the_document_says_what_fields_demand_of_one_another(component: str, good: list[Any], bad: list[Any]) -> None:
    whole = read_document()
    schema = {"$ref": f"#/components/schemas/{component}", "components": whole["components"]}
    fits = OAS31Validator(schema).is_valid
    assert ([fits(body) for body in good], [fits(body) for body in bad]) == ([True] * len(good), [False] * len(bad))
