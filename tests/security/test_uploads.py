"""What comes by a form is bounded before it is read."""

from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import MemoryFileUploadHandler, TemporaryFileUploadHandler
from django.test import Client

from league.web import middleware

pytestmark = pytest.mark.django_db


def sent(client: Client, size: int) -> tuple[int, str]:
    """Send a file to the sign-in page."""
    file = SimpleUploadedFile("games.csv", b"x" * size)
    answer = client.post("/admin/login/", {"file": file, "username": "olga"})
    return answer.status_code, answer.content.decode()


def test_of_a_stranger_little_is_taken_and_nothing_is_read() -> None:
    broken = AssertionError("read")
    with (
        patch.object(TemporaryFileUploadHandler, "receive_data_chunk", side_effect=broken),
        patch.object(MemoryFileUploadHandler, "receive_data_chunk", side_effect=broken),
    ):
        status, page = sent(Client(), 2_600_000)
    assert status == 400
    assert "The file is larger than 2,500,000 bytes" in page
    assert sent(Client(), 2_000_000)[0] == 200


def test_of_a_member_as_much_as_an_import_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client()
    client.force_login(User.objects.create_user("olga"))
    assert sent(client, 2_600_000)[0] == 200
    monkeypatch.setattr(middleware, "MAX_STREAM_BYTES", 1_000_000)
    status, page = sent(client, 2_600_000)
    assert (status, "The file is larger than 2,000,000 bytes" in page) == (400, True)
