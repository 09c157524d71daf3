"""The browser of somebody who runs competitions."""

from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from league.core.accounts.services.members import set_member
from tests.helpers.builders import make_league


def sign_in(role: str = "arbiter", **league: Any) -> Client:
    """Return the browser of a member of a new league."""
    club = make_league(**league)
    User.objects.create_user("arno")
    set_member(club.pk, "arno", role)
    browser = Client()
    browser.force_login(User.objects.get(username="arno"))
    return browser


def read(browser: Client, address: str) -> str:
    """Return the text of a page that opens."""
    answer = browser.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def send(browser: Client, address: str, **form: object) -> str:
    """Send a form, and return the text of the page after it."""
    return browser.post(address, form, follow=True).content.decode()
