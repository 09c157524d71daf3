"""The first account of a new site: made in a browser by a link that is dead once the site has any account."""

import re
from functools import partial
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client, override_settings

from league.core.accounts.services.first_account import compute_first_secret, create_first_account
from league.core.errors import NotFound
from league.models import League, Membership
from tests.helpers.desk_client import ONCE_KEY
from tests.helpers.founding import NEW, first_step, second_step
from tests.helpers.threads import in_threads

PASSWORD = "correct horse battery"
GIVEN = {"username": "vera", "password1": PASSWORD, "password2": PASSWORD, "email": "vera@club.example"}
HINT = "This site has no accounts yet."


@pytest.mark.django_db
def test_the_sign_in_page_speaks_of_invitations_only_if_there_are_accounts(client: Client) -> None:
    empty = client.get("/admin/login/").content.decode()
    assert HINT in " ".join(empty.split())
    assert "by invitation" not in empty
    # The page says who types what where, and each command can be copied.
    assert re.findall('data-line="([^"]+)"', empty) == [
        *("rungs serve", "script/serve"),
        *("rungs manage createsuperuser", "script/manage createsuperuser"),
    ]
    assert "How to create the first account" in client.get("/").content.decode()
    User.objects.create_user("olga")
    page = client.get("/admin/login/").content.decode()
    assert HINT not in page
    assert "Accounts are by invitation: ask an owner of your league." in page


def link() -> str:
    """Return the address that makes the first account."""
    return f"/invitations/first/{compute_first_secret()}/"


def printed_at_the_start() -> str:
    """Return what ``manage.py serve`` prints before it starts its processes."""
    lines: list[str] = []
    with (
        patch("league.management.commands.serve.print_line", lines.append),
        patch("league.management.commands.serve.exec_supervisor"),
        patch("league.management.commands.serve.check_port"),
    ):
        call_command("serve", port=8124)
    return "\n".join(lines)


@pytest.mark.django_db
def test_a_new_site_leads_its_first_visitor_from_the_terminal_to_a_league() -> None:
    browser = Client()
    assert HINT in browser.get("/").content.decode()
    (address,) = re.findall(r"http://127\.0\.0\.1:8124(/invitations/\S+)", printed_at_the_start())
    shown = browser.get(address)
    assert "Create the first account." in shown.content.decode()
    assert "no-store" in shown.headers["Cache-Control"]
    started = browser.post(address, GIVEN, follow=True)
    assert started.redirect_chain == [(NEW, 302)]
    assert "<h1>A new league</h1>" in started.content.decode()
    rule = browser.post(NEW, first_step())
    made = browser.post(NEW, second_step(rule, make="1", once=ONCE_KEY), follow=True)
    assert made.redirect_chain == [("/admin/leagues/thursday-club/", 302)]
    vera = User.objects.get()
    assert (vera.username, vera.email, vera.is_staff, vera.is_superuser) == ("vera", "vera@club.example", True, True)
    assert vera.check_password(PASSWORD)
    assert Membership.objects.get(league=League.objects.get()).user == vera


@pytest.mark.django_db
def test_once_the_site_has_an_account_the_link_is_dead_and_nothing_leads_to_it() -> None:
    User.objects.create_user("anna")
    assert Client().get(link()).status_code == Client().post(link(), GIVEN).status_code == 404
    with pytest.raises(NotFound):
        create_first_account(compute_first_secret(), "vera", PASSWORD)
    assert [user.username for user in User.objects.all()] == ["anna"]
    assert HINT not in Client().get("/").content.decode()
    assert "/invitations/" not in printed_at_the_start()


@pytest.mark.django_db
def test_guesses_are_refused_and_slowed_down_and_the_link_itself_never_is() -> None:
    codes = [Client().post(f"/invitations/first/{number}/", GIVEN).status_code for number in range(50)]
    assert set(codes) == {404}
    refused = Client().get("/invitations/first/another/")
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) > 0
    assert Client().get("/invitations/first/%00/").status_code == 429
    wrong = Client().post(link(), {**GIVEN, "password2": "another"})
    assert wrong.status_code == 200
    assert "No account was created." in wrong.content.decode()
    assert not User.objects.exists()


@pytest.mark.django_db
@override_settings(RUNGS_STAFF_SECOND_FACTOR=True)
def test_where_staff_need_a_second_step_the_first_account_sets_it_up_at_once() -> None:
    browser = Client()
    assert browser.post(link(), GIVEN).headers["Location"] == "/accounts/second/on/"
    assert "1. Scan this with the app" in browser.get("/accounts/second/on/").content.decode()
    assert browser.get(NEW).status_code == 302


@pytest.mark.django_db(transaction=True)
@pytest.mark.engine
def test_of_several_browsers_one_makes_the_first_account() -> None:
    def attempt(name: str) -> str:
        try:
            return str(create_first_account(compute_first_secret(), name, PASSWORD).username)
        except NotFound:
            return ""

    names = in_threads([partial(attempt, name) for name in ("anna", "ben", "cleo", "dan")])
    assert [name for name in names if name] == [user.username for user in User.objects.all()]
    assert User.objects.count() == 1
