"""What the tests of the league share."""

import pytest
from django.contrib.auth.models import User
from django.test import Client


@pytest.fixture
def olga(client: Client) -> Client:
    """Return a browser in which an organiser is signed in."""
    client.force_login(User.objects.create_superuser("olga"))
    return client
