"""The first rule of a league that was made without one: chosen by its rating system, adopted once."""

from unittest.mock import patch

import pytest
from django.test import Client

from league.models import Rule
from league.services.leagues.leagues import create_league
from tests.helpers.desk_client import ONCE_KEY, page_messages, page_text
from tests.helpers.desk_rules import ELO, RULES, SETTINGS

pytestmark = pytest.mark.django_db


def test_a_league_without_a_rule_chooses_its_first_one_by_system(olga: Client) -> None:
    create_league("club", "Club", by="olga")
    assert "No rule yet" in page_text(olga.get(SETTINGS))
    page = olga.get(RULES)
    assert "How are games rated here?" in page_text(page)
    assert "?system=elo" in page.content.decode()
    assert "How are games rated here?" in page_text(olga.get(f"{RULES}?system=chance"))
    address = f"{RULES}?system=elo"
    refused = olga.post(address, {**ELO, "parameters_k": "-3"})
    assert "Nothing was adopted." in page_text(refused)
    assert refused.context["form"]["parameters_k"].value() == "-3"
    assert not Rule.objects.exists()
    done = olga.post(address, {**ELO, "once": ONCE_KEY}, follow=True)
    assert page_messages(done) == "Games are rated by Elo, from the first one on."
    assert (Rule.objects.get().system, Rule.objects.get().parameters["k"]) == ("elo", 40)
    assert "In force" in page_text(olga.get(RULES))


def test_a_first_rule_that_comes_twice_is_adopted_once(olga: Client) -> None:
    create_league("club", "Club", by="olga")
    with patch("league.admin.desk.rules.rules_of", lambda league: []):
        first = olga.post(f"{RULES}?system=elo", {**ELO, "once": ONCE_KEY})
        again = olga.post(f"{RULES}?system=elo", {**ELO, "once": ONCE_KEY})
        other = olga.post(f"{RULES}?system=elo", {**ELO, "parameters_k": "10", "once": ONCE_KEY})
        more = olga.post(f"{RULES}?system=elo", {**ELO, "parameters_k": "10"})
    assert (first.status_code, again.status_code) == (302, 302)
    assert "says something else now" in page_text(other)
    assert "Nothing was adopted." in page_text(more) or more.status_code == 302
    assert Rule.objects.order_by("from_date")[0].parameters["k"] == 40
