"""Every JSON body of every operation with each member replaced by every other type: never the server's fault."""

import json
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth import get_user_model

from league.web.api.openapi.document import METHODS
from tests.fuzz.answers import ask
from tests.fuzz.books import seed, taken_back
from tests.fuzz.cases import BODIES
from tests.helpers.api_client import Api
from tests.helpers.members import replace_members
from tests.helpers.openapi_document import read_document

pytestmark = pytest.mark.django_db
JSON = "application/json"


def test_no_member_of_a_body_makes_the_server_fail() -> None:
    api, browser = Api(), Api()
    api.headers = seed()
    browser.client.force_login(get_user_model().objects.get(username="oscar"))
    failed: list[str] = []
    asked = 0
    for path, methods in read_document()["paths"].items():
        for method, operation in methods.items():
            if method not in METHODS or JSON not in operation.get("requestBody", {}).get("content", {}):
                continue
            asker = browser if "/tokens/" in path else api
            for example in operation["requestBody"]["content"][JSON].get("examples", {}).values():
                for pointer, body in replace_members(example["value"]):
                    asked += 1
                    answer = send(asker, path, method, operation, body)
                    if answer.status_code >= 500:
                        failed.append(f"{method} {path}{pointer}: {answer.status_code}")
    assert asked > 1000
    assert not failed, "\n".join(failed)


def send(api: Api, path: str, method: str, operation: dict[str, Any], body: Any) -> Any:
    """Ask an operation with a body in place of its example, and take back what it wrote."""
    content = {JSON: {"examples": {"": {"value": json.loads(json.dumps(body))}}}}
    with taken_back(), patch.dict(BODIES, clear=True):
        return ask(api, path, method, {**operation, "requestBody": {"content": content}})
