"""What RUNGS_PRODUCTION=1 switches on: HTTPS, cookies of this host alone, headers."""

import json
import os
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from league.web.response_headers import POLICY

ROOT = Path(__file__).parents[2]
ASKED = """
import json
import django
django.setup()
from django.conf import settings
from django.core.management import call_command
from django.test import Client
call_command("migrate", "auth", verbosity=0)  # the sign-in asks whether there is an account
def told(client, path, **more):
    answer = client.get(path, **more)
    return [answer.status_code, dict(answer.headers), {name: dict(one) for name, one in answer.cookies.items()}]
plain, secure = Client(), Client(headers={"X-Forwarded-Proto": "https"})
host = {"SERVER_NAME": "rungs.example"}
print(json.dumps({
    "page": told(plain, "/accounts/asked/?x=1", **host),
    "api": told(plain, "/api/v1/systems/", **host),
    "strange": told(plain, "/api/v1/systems/", SERVER_NAME="elsewhere.example"),
    "health": told(plain, "/healthz", SERVER_NAME="10.0.0.7"),
    "login": told(secure, "/admin/login/", **host),
    "names": [settings.SESSION_COOKIE_NAME, settings.SESSION_COOKIE_HTTPONLY, settings.SESSION_COOKIE_SECURE],
}))
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what a site in production answers."""
    environment = {
        "PATH": os.environ["PATH"],
        "RUNGS_VAR": str(tmp_path_factory.mktemp("var")),
        "RUNGS_PRODUCTION": "1",
        "RUNGS_SECRET_KEY": secrets.token_urlsafe(50),
        "RUNGS_ALLOWED_HOSTS": "rungs.example",
        "DJANGO_SETTINGS_MODULE": "league.settings",
    }
    run = subprocess.run(
        [sys.executable, "-c", ASKED],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    answers: dict[str, Any] = json.loads(run.stdout)
    return answers


def test_plain_pages_are_led_to_https(told: dict[str, Any]) -> None:
    status, headers, _ = told["page"]
    assert (status, headers["Location"]) == (301, "https://rungs.example/accounts/asked/?x=1")


def test_plain_programs_are_refused_and_not_led_on(told: dict[str, Any]) -> None:
    status, headers, _ = told["api"]
    assert (status, headers["Content-Type"]) == (403, "application/problem+json")
    assert "Location" not in headers
    assert told["strange"][0] == 400


def test_health_is_told_plainly_and_to_any_host(told: dict[str, Any]) -> None:
    assert told["health"][0] == 200


def test_browsers_come_by_https_only_for_a_year(told: dict[str, Any]) -> None:
    status, headers, cookies = told["login"]
    assert (status, headers["Strict-Transport-Security"]) == (200, "max-age=31536000")
    assert list(cookies) == ["__Host-csrftoken"]
    key = cookies["__Host-csrftoken"]
    assert (key["secure"], key["path"], key["domain"], key["samesite"]) == (True, "/", "", "Lax")
    assert told["names"] == ["__Host-sessionid", True, True]


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/admin/login/", "/api/v1/leagues/", "/nowhere/"])
def test_every_answer_says_what_pages_may_not_use(path: str) -> None:
    answer = Client().get(path)
    assert answer["Permissions-Policy"] == POLICY
    assert "camera=()" in POLICY
    assert answer["Cross-Origin-Opener-Policy"] == "same-origin"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Referrer-Policy"] == "same-origin"
