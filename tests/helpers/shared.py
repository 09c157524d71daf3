"""What many tests look at is built once for a module: every test works on it in a savepoint of its own."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction


def built_once(build: Callable[[], object]) -> Any:
    """Return a fixture that builds before a module's first test, and takes it back after the last.

    Only for modules whose tests keep to their transaction (``django_db`` without ``transaction=True``): what a test
    writes goes with its savepoint, so that the order of the tests does not matter. What ``build`` returns is kept by
    none: tests read rows anew, as objects would remember what other tests made of them.
    """

    @pytest.fixture(scope="module")
    def built(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
        signals = request_started, request_finished
        for signal in signals:
            signal.disconnect(close_old_connections)
        outer = transaction.atomic()
        # As Django's own TestCase says it: durable transactions may begin inside.
        outer._from_testcase = True  # type: ignore[attr-defined]
        try:
            with django_db_blocker.unblock():
                outer.__enter__()
                build()
            yield
        finally:
            with django_db_blocker.unblock():
                transaction.set_rollback(True)
                outer.__exit__(None, None, None)
            for signal in signals:
                signal.connect(close_old_connections)

    return built
