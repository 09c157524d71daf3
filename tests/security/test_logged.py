"""What happens at the doors is logged: who, from where, with what outcome; never a password."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.helpers.attempts import use_up

PASSWORD = "correct horse battery"
pytestmark = pytest.mark.django_db


def told(caplog: Any) -> list[str]:
    """Return what was logged of the doors."""
    return [record.getMessage() for record in caplog.records if record.name == "league.security"]


def test_right_wrong_and_slowed_passwords(caplog: Any) -> None:
    caplog.set_level("INFO", "league.security")
    User.objects.create_superuser("olga", password=PASSWORD)
    client = Client()
    client.post("/admin/login/", {"username": "olga", "password": "wrong"})
    use_up(address="127.0.0.2")
    client.post("/admin/login/", {"username": "olga", "password": "wrong"}, REMOTE_ADDR="127.0.0.2")
    client.post("/admin/login/", {"username": "olga", "password": PASSWORD}, REMOTE_ADDR="192.0.2.7")
    lines = told(caplog)
    assert lines[0] == "Refused: wrong password: olga from 127.0.0.1"
    assert lines[-2:] == [
        "Refused: too many wrong passwords: olga from 127.0.0.2",
        "Signed in: olga from 192.0.2.7",
    ]
    assert PASSWORD not in caplog.text


def test_a_name_cannot_forge_a_line(caplog: Any) -> None:
    caplog.set_level("INFO", "league.security")
    Client().post("/admin/login/", {"username": "x\nSigned in: olga", "password": "wrong"})
    assert told(caplog) == ["Refused: wrong password: x\\u000aSigned in: olga from 127.0.0.1"]
