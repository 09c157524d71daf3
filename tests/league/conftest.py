"""What the tests of the league share."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.helpers.meters import counting
from tests.helpers.receiver import Receiver, receiving


@pytest.fixture
def olga(client: Client) -> Client:
    """Return a browser in which an organiser is signed in."""
    client.force_login(User.objects.create_superuser("olga"))
    return client


@pytest.fixture
def private_networks(settings: Any) -> None:
    """Allow private networks, as tests on loopback must."""
    settings.RUNGS_WEBHOOKS_PRIVATE = True


@pytest.fixture
def receiver(private_networks: None) -> Iterator[Receiver]:
    """Return a receiver on loopback that takes everything."""
    with receiving() as one:
        yield one


@pytest.fixture
def counting_folder(tmp_path: Path) -> Iterator[Path]:
    """Return where this process counts."""
    with counting(tmp_path) as there:
        yield there
