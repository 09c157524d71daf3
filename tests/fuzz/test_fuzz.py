"""The API against its own document: what schemathesis makes of every operation, good data and bad.

FUZZ_EXAMPLES says how many cases are drawn for each operation, beside those at the bounds of every field (1, 5 or 50
by the tier; ``script/bench fuzz --examples 500`` for a run of them alone).
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction

from league.apps.competitions.services.rounds import make_round
from league.core.games.services.record import void_game
from league.core.ladders.services.decisions import reopen_period
from league.models import League
from tests.fuzz.books import plan_town_hall, seed, signed_in, taken_back
from tests.helpers.openapi_document import document_path
from tests.helpers.tiers import examples

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES") or examples(5))
#: The document is written late: each test has one of so many parts of its operations.
PARTS = 30
#: A stranger asks one time of so many, with data as good as the owner's.
STRANGERS = 8
#: Operations that need a closed period whose games say something else now.
AWAITING = ("carry_period", "decide")
#: Operations that need a round that is not published.
UNPUBLISHED = ("publish_round", "undo_round")
pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def owner(django_db_setup: None, django_db_blocker: Any) -> Iterator[dict[str, str]]:
    """Write the league once, for all operations; returns the headers of an owner."""
    signals = request_started, request_finished
    for signal in signals:
        signal.disconnect(close_old_connections)
    try:
        with django_db_blocker.unblock(), transaction.atomic():
            yield seed()
            transaction.set_rollback(True)
    finally:
        for signal in signals:
            signal.connect(close_old_connections)


@pytest.mark.parametrize("part", range(PARTS))
def test_the_app_does_what_its_document_says(
    part: int, owner: dict[str, str], record_property: Callable[[str, object], None]
) -> None:
    # What webhooks are sent is in the document, too, and asks the app nothing.
    paths = document_path().read_text(encoding="utf-8").partition("\nwebhooks:")[0]
    names = re.findall(r"operationId: (\w+)", paths)
    assert len(names) > PARTS
    for operation in names[part::PARTS]:
        check_operation(operation, owner, record_property)


def check_operation(operation: str, owner: dict[str, str], record_property: Callable[[str, object], None]) -> None:
    """Ask the cases of an operation, and compare the answers with the document."""
    # Late: the library and the cases of all operations take seconds, which other tests need not wait for.
    from tests.fuzz.cases import bad_cookie, example_of, lead_somewhere, said_in_words, test_of

    dice, statuses = Random(operation), Counter[int]()
    # Cases that all lead nowhere would prove nothing: the first one leads somewhere.
    with taken_back():
        ask_example(example_of(operation), owner)

    def ask(case: Any) -> None:
        lead_somewhere(case, dice)
        with taken_back():
            prepare(operation)
            # werkzeug's client does not unpack; tests/web/api/test_conditional.py does.
            headers = {"Accept-Encoding": "identity"}
            cookies: dict[str, str] = {}
            if not case.path.startswith("/api/v1/tokens/"):
                headers |= owner if dice.randrange(STRANGERS) else {}
            elif dice.randrange(STRANGERS) and not bad_cookie(case):
                own, cookies = signed_in()
                headers |= own
            answer = case.call(headers=headers, cookies=cookies)
            if case.method == case.operation.method.upper():
                statuses[answer.status_code] += 1
            case.validate_response(answer, headers=headers, excluded_checks=said_in_words(case, answer))

    test_of(operation, ask, EXAMPLES)()
    for status, count in statuses.items():
        record_property(f"{operation} {status}", count)
    assert statuses, operation


def ask_example(case: Any, owner: dict[str, str]) -> None:
    """Ask what the document's example asks: it is answered, and as the document says."""
    from tests.fuzz.cases import said_in_words

    prepare(case.operation.definition.raw["operationId"])
    headers, cookies = signed_in() if case.path.startswith("/api/v1/tokens/") else (owner, {})
    headers = {"Accept-Encoding": "identity", **headers}
    answer = case.call(headers=headers, cookies=cookies)
    assert answer.status_code < 400, answer.text
    case.validate_response(answer, headers=headers, excluded_checks=said_in_words(case, answer))


def prepare(operation: str) -> None:
    """Do what an operation needs: without a voided game nothing is to be decided, what is closed is not closed again.

    By the services: the tests' client would connect the signals that close the connection.
    """
    if operation == "call_match":
        plan_town_hall()
    if operation not in (*AWAITING, "close_period", "restore_game", *UNPUBLISHED):
        return
    league = League.objects.get(slug="preferans")
    if operation in UNPUBLISHED:
        make_round(league.pk, "club-evening", by="test")
        return
    if operation in (*AWAITING, "restore_game"):
        void_game(league.pk, 1 if operation == "restore_game" else 2, reason="It was a friendly.", username="test")
    else:
        reopen_period(league.pk, "month", "2024-03", reason="A score sheet came late.", username="test")
