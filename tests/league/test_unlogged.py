"""What the site logs of an address that it refused: never the secret of a link."""

import logging
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from league.unlogged import WithoutSecrets
from tests.helpers.report_builders import link_of, reporting_club


@pytest.mark.parametrize(
    ("address", "logged"),
    [
        ("/report/s3cr3t/", "/report/…/"),
        ("/report/s3cr3t/change/", "/report/…/"),
        ("/report/s3cr3t/00000000-0000-0000-0000-000000000000/", "/report/…/"),
        ("/invitations/s3cr3t/", "/invitations/…/"),
        ("/accounts/reset/MQ/s3cr3t/", "/accounts/reset/…/"),
        ("/accounts/notices/s3cr3t/", "/accounts/notices/…/"),
        ("/leagues/report/", "/leagues/report/"),
        ("/leagues/club/games/7/", "/leagues/club/games/7/"),
    ],
)
def test_an_address_is_logged_without_the_secret_of_its_link(address: str, logged: str) -> None:
    record = logging.LogRecord("django.request", logging.WARNING, "", 0, "%s: %s", ("Gone", address), None)
    assert WithoutSecrets().filter(record)
    assert record.getMessage() == f"Gone: {logged}"


@pytest.mark.django_db
def test_a_sheet_that_is_refused_leaves_no_good_link_in_the_log(caplog: Any) -> None:
    configured: Any = settings.LOGGING
    assert configured["handlers"]["console"]["filters"] == ["links"]
    secret = link_of(reporting_club(), "anna")
    caplog.handler.addFilter(WithoutSecrets())
    Client().get(f"/report/{secret}/00000000-0000-0000-0000-000000000000/")
    assert "/report/…/" in caplog.text
    assert secret not in caplog.text
