"""What the site logs of an address that it refused: never the secret of a link."""

import logging
import re
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from league.core.monitoring.log_redaction import RefusalsInALine, WithoutSecrets
from tests.helpers.report_builders import link_of, reporting_club


@pytest.mark.parametrize(
    ("address", "logged"),
    [
        ("/report/s3cr3t/", "/report/…/"),
        ("/report/s3cr3t/change/", "/report/…/"),
        ("/report/s3cr3t/00000000-0000-0000-0000-000000000000/", "/report/…/"),
        ("/invitations/s3cr3t/", "/invitations/…/"),
        ("/accounts/reset/1-s3cr3t/", "/accounts/reset/…/"),
        ("/accounts/notices/s3cr3t/", "/accounts/notices/…/"),
        (
            "/accounts/oidc/login/?next=%2Finvitations%2Fs3cr3t%2F&a=1",
            "/accounts/oidc/login/?next=%2Finvitations%2F…%2F&a=1",
        ),
        ("/admin/login/?next=/invitations/s3cr3t/", "/admin/login/?next=/invitations/…/"),
        ("/leagues/report/", "/leagues/report/"),
        ("/leagues/club/games/7/", "/leagues/club/games/7/"),
    ],
)
def test_an_address_is_logged_without_the_secret_of_its_link(address: str, logged: str) -> None:
    record = logging.LogRecord("django.request", logging.WARNING, "", 0, "%s: %s", ("Gone", address), None)
    assert WithoutSecrets().filter(record)
    assert record.getMessage() == f"Gone: {logged}"


@pytest.mark.parametrize(("status", "told"), [(403, False), (404, False), (500, True)])
def test_who_is_refused_is_logged_in_a_line_and_a_fault_with_its_traceback(status: int, told: bool) -> None:
    error = (ValueError, ValueError("x"), None)
    record = logging.LogRecord("django.request", logging.WARNING, "", 0, "Forbidden: %s", ("/",), error)
    record.status_code = status
    assert RefusalsInALine().filter(record)
    assert (record.exc_info is not None) == told
    other = logging.LogRecord("rungs.task", logging.WARNING, "", 0, "failed", (), error)
    assert RefusalsInALine().filter(other)
    assert other.exc_info is not None


@pytest.mark.django_db
def test_a_sheet_that_is_refused_leaves_no_good_link_in_the_log(caplog: Any) -> None:
    configured: Any = settings.LOGGING
    assert configured["handlers"]["console"]["filters"] == ["links", "refusals"]
    secret = link_of(reporting_club(), "anna")
    caplog.handler.addFilter(WithoutSecrets())
    Client().get(f"/report/{secret}/00000000-0000-0000-0000-000000000000/")
    assert "/report/…/" in caplog.text
    assert secret not in caplog.text


@pytest.mark.parametrize(
    ("address", "logged"),
    [
        ("/report/s3cr3t/change/?x=1", "/report/…"),
        ("/accounts/reset/1-s3cr3t/", "/accounts/reset/…"),
        ("/leagues/club/players/?q=Anna+Private", "/leagues/club/players/…"),
        ("/leagues/report/", "/leagues/report/"),
    ],
)
def test_the_proxy_logs_neither_secrets_nor_what_was_looked_for(address: str, logged: str) -> None:
    """By the pattern of its configuration, whose words Go's regular expressions and Python's share."""
    configuration = (settings.BASE_DIR / "deploy" / "Caddyfile").read_text()
    ((pattern, put),) = re.findall(r'request>uri regexp "(.*)" "(.*)"', configuration)
    assert re.sub(pattern, put.replace("${1}", r"\g<1>"), address) == logged
