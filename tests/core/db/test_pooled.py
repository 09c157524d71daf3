"""Behind a pooler of transactions nothing lasts from one to the next: what a session has, and what it does without."""

import logging
from typing import Any

import pytest
from django.db.backends.postgresql import base as django_base

from league.core.db.postgresql import base
from league.settings import configure_postgresql


class Cursor:
    """Tells the limits of a role."""

    def __init__(self, *limits: str) -> None:
        self.limits = limits

    def __enter__(self) -> "Cursor":
        return self

    def __exit__(self, *error: object) -> None:
        """Leave."""

    def execute(self, sql: str) -> None:
        assert "statement_timeout" in sql

    def fetchone(self) -> tuple[str, ...]:
        return self.limits


def wrapper(**more: Any) -> base.DatabaseWrapper:
    """Return a connection that is to no server."""
    return base.DatabaseWrapper({"TIME_ZONE": None, "OPTIONS": {}, **more}, "pooled")


def test_a_session_behind_a_pooler_asks_for_nothing_of_its_own() -> None:
    given = configure_postgresql(
        {"NAME": "x", "OPTIONS": {"sslmode": "require"}}, "default_transaction_read_only=on", pooled=True
    )
    assert given["OPTIONS"] == {"connect_timeout": 2, "prepare_threshold": None, "sslmode": "require"}
    assert wrapper(**given).pooled
    own = configure_postgresql({"NAME": "x"}, pooled=False)
    assert own["OPTIONS"]["prepare_threshold"] == 2 and not wrapper(**own).pooled


def test_rows_are_fetched_by_and_by_in_a_transaction_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(django_base.DatabaseWrapper, "chunked_cursor", lambda self: "the server's")
    monkeypatch.setattr(base.DatabaseWrapper, "cursor", lambda self: "plain")
    pooled, own = wrapper(POOLED=True), wrapper()
    assert (pooled.chunked_cursor(), own.chunked_cursor()) == ("plain", "the server's")
    pooled.in_atomic_block = True
    assert pooled.chunked_cursor() == "the server's"


@pytest.mark.parametrize(
    ("limits", "told"), [(("0", "0"), 1), (("30s", "0"), 1), (("30s", "3500ms"), 0)], ids=["none", "one", "both"]
)
def test_a_role_without_limits_is_told_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, limits: tuple[str, str], told: int
) -> None:
    monkeypatch.setattr(base.LIMITS, "told", False)
    monkeypatch.setattr(django_base.DatabaseWrapper, "init_connection_state", lambda self: None)
    one = wrapper(POOLED=True)
    one.connection = type("Connection", (), {"cursor": lambda self: Cursor(*limits)})()
    with caplog.at_level(logging.WARNING):
        one.init_connection_state()
        one.init_connection_state()
        wrapper().init_connection_state()
    assert sum("ALTER ROLE" in record.message for record in caplog.records) == told
