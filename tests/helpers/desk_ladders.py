"""Ladders and periods at the desk."""

from typing import Any

from django.test import Client

from league.models import League
from tests.helpers.builders import make_league, record
from tests.helpers.desk_client import DESK
from tests.helpers.ladder_builders import duel, make_ladder

LADDERS, NEW, DECISIONS = f"{DESK}ladders/", f"{DESK}new-ladder/", f"{DESK}decisions/"
MONTH = f"{LADDERS}month/"
MARCH, APRIL = f"{MONTH}periods/2024-03/", f"{MONTH}periods/2024-04/"


def build_month_club(**settings: Any) -> League:
    """Return a league whose March and April 2024 have ended, with a points table of the month."""
    league = make_league(**settings)
    make_ladder(league)
    record(league, duel("anna", "ben", "2024-03-05"))
    record(league, duel("ben", "cleo", "2024-04-05"))
    return league


def press_period(browser: Client, address: str, act: str, reason: str = "", **more: Any) -> Any:
    """Do something to a period as it is shown now."""
    page = browser.get(address)
    sent = {"act": act, "reason": reason, "seen": page.context["seen"], "once": page.context["once"], **more}
    return browser.post(address, sent, follow=True)
