"""A problem's type is the address of a page that explains it; one table holds every code that the app can answer."""

import ast
from pathlib import Path
from typing import Any

import pytest
from django.test import Client, RequestFactory

from league.core import errors
from league.web.api.core.codes import PROBLEMS, list_faults
from league.web.api.core.responses import TITLES, build_problem_document, link_documents_to_request
from league.web.api.openapi.examples import build_problem_example
from tests.helpers.api_client import Api, game
from tests.helpers.builders import make_league
from tests.helpers.tiers import TIER, long_way

ROOT = Path(__file__).parents[3]
#: Function -> which of its arguments is a code.
CALLS = {"Problem": 1, "MergeRefusal": 1, "Refusal": 0, "wrong": 0, "ErrorDetail": 1}
#: What the framework's serializers say of fields that ours have.
FRAMEWORK = {"required", "null", "blank", "invalid", "invalid_choice", "max_length", "max_value", "min_value", "empty",
             "not_a_list", "not_a_dict"}  # fmt: skip


def called(node: ast.Call) -> str:
    """Return the name of what is called."""
    return str(getattr(node.func, "id", getattr(node.func, "attr", "")))


def codes_in(text: str) -> set[str]:
    """Return the codes of faults that a module names."""
    found: list[Any] = []
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        name = called(node)
        if name in CALLS and len(node.args) > CALLS[name]:
            found.append(node.args[CALLS[name]])
        if name == "add" and len(node.args) >= 3:
            found.append(node.args[1])
        found += [word.value for word in node.keywords if word.arg == "code" and name == "ValidationError"]
    return {one.value for one in found if isinstance(one, ast.Constant) and isinstance(one.value, str)}


def modules() -> list[Path]:
    """Return every module of the app and of the sums."""
    found = [path for folder in ("league", "ratings") for path in (ROOT / folder).rglob("*.py")]
    return [path for path in found if "migrations" not in path.parts]


@long_way
def test_every_code_of_a_fault_has_its_row() -> None:
    named = set().union(*(codes_in(path.read_text()) for path in modules())) | FRAMEWORK
    assert len(named) > 50
    assert named - list_faults().keys() == set()


def test_every_code_of_an_answer_has_its_row_with_its_status() -> None:
    kinds: list[type[errors.RungsError]] = [errors.RungsError]
    kinds += [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.RungsError)]
    statuses = {kind.code: kind.status for kind in kinds} | {code: status for status, (code, _) in TITLES.items()}
    assert {code: told.status for code, told in PROBLEMS.items()} == statuses


@pytest.mark.django_db
def test_a_problems_type_leads_to_its_page() -> None:
    make_league()
    api = Api("record")
    for answer, code in (
        (api.post("leagues/club/games/", game(("anna", 1), ("zoe", 0))), "refused"),
        (api.post("leagues/club/games/", {}), "invalid"),
        (api.get("leagues/none/"), "not_found"),
        (api.get("nothing/"), "not_found"),
        (Api().post("leagues/club/games/", {}), "unauthenticated"),
        (api.get("leagues/club/", Host="rungs.example"), None),
    ):
        if code is not None:
            assert answer.data["type"] == f"http://testserver/docs/problems/{code}/"
            page = Client().get(answer.data["type"])
            assert (page.status_code, f"<code>{code}</code>" in page.content.decode()) == (200, True)


@pytest.mark.django_db
def test_every_code_has_a_page_that_the_list_leads_to() -> None:
    browser = Client()
    listed = browser.get("/docs/problems/").content.decode()
    for number, code in enumerate((*PROBLEMS, *list_faults())):
        address = f"/docs/problems/{code}/"
        assert f'href="{address}"' in listed
        if TIER == "all" or number % 8 == 0:  # one view makes them all of one table
            assert browser.get(address).status_code == 200
    assert browser.get("/docs/problems/none/").status_code == 404


def test_examples_name_no_host_whichever_request_has_made_them() -> None:
    with link_documents_to_request(RequestFactory().get("/", headers={"Host": "first.example"})):
        assert build_problem_example(422)["type"] == "/docs/problems/refused/"
        assert build_problem_document(404, "No.")["type"] == "http://first.example/docs/problems/not_found/"


def test_no_problem_is_about_nothing() -> None:
    assert [path for path in modules() if "about:blank" in path.read_text()] == []
