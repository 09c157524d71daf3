"""What is adopted is what was tried; and the log names nobody whose entries it does not hold."""

from datetime import date

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.models import Rule
from league.services.accounts.members import set_member
from league.services.recording.games import record_game
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import page_text
from tests.helpers.desk_rules import ELO, LOG, RULES
from tests.helpers.ladder_builders import clock, duel, utc

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("other", [{"parameters_k": "5"}, {"from_date": "2024-03-02"}, {"tried": ""}])
def test_another_rule_than_was_tried_is_shown_and_not_adopted(olga: Client, other: dict[str, str]) -> None:
    league = make_league()
    record(league, duel("anna", "ben", "2024-03-10"))
    sent = {**ELO, "from_date": "2024-03-01"}
    sent["tried"] = olga.post(RULES, sent).context["tried"].key
    page = olga.post(RULES, {**sent, **other, "adopt": "1"})
    assert Rule.objects.count() == 1
    assert (
        "Nothing was adopted. The form says something else than what was shown, and nothing was adopted. "
        "This is what it would do now."
    ) in page_text(page)
    # What is shown now can be adopted as it stands.
    again = {**sent, **other, "tried": page.context["tried"].key, "adopt": "1"}
    assert olga.post(RULES, again).status_code == 302
    assert Rule.objects.count() == 2


def test_a_day_that_was_left_empty_is_the_day_on_which_it_was_tried(olga: Client) -> None:
    with clock(utc("2024-03-05T23:30")):
        make_league()
        tried = olga.post(RULES, ELO).context["tried"]
        assert tried.since == date(2024, 3, 5)
    with clock(utc("2024-03-06T00:10")):
        page = olga.post(RULES, {**ELO, "tried": tried.key, "adopt": "1"})
    assert page.context["tried"].since == date(2024, 3, 6)
    assert Rule.objects.count() == 1


def test_the_log_names_those_whose_entries_it_holds_and_no_other_member(olga: Client) -> None:
    league = make_league()
    for name, role in (("rita", "recorder"), ("walt", "owner"), ("Xena", "organiser")):
        User.objects.create_user(name)
        set_member(league.pk, name, role)
    record_game(league.pk, sheet(("anna", "ben"), (1, 0)), by="Xena")
    for name in ("rita", "walt"):
        browser = Client()
        browser.force_login(User.objects.get(username=name))
        page = browser.get(LOG)
        assert page.context["names"] == ["test", "Xena", "calendar"]
        assert ("walt" in page.content.decode()) == (name == "walt")
