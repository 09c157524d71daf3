"""A league that was made by mistake is deleted as a whole; one with games, or that says something of players, stays."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry as AdminEntry
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from league.apps.webhooks.services.webhooks import make_webhook
from league.core.accounts.services.tokens import check_token, make_token
from league.core.games.services.record import void_game
from league.core.leagues.services.delete import delete_league
from league.core.log.services.heads import publish_heads
from league.core.players.services.players import set_initial_rating
from league.core.verify.run import verify_league
from league.models import Job, League, LogEntry, Player, Token
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, player_of, record, sheet
from tests.helpers.desk_client import DESK, page_messages, page_text, sign_in_member
from tests.helpers.ladder_builders import make_ladder, tables

pytestmark = [pytest.mark.engine, pytest.mark.django_db]


def empty_league() -> League:
    """Return a league without games in which everything else is set up."""
    league = make_league()
    make_ladder(league)
    make_webhook(league.pk, "https://club.example/", [], username="olga")
    publish_heads()
    return league


def game_that_is_void(league: League) -> None:
    """Record a game, and void it."""
    record(league, sheet(("anna", "ben"), (1, 0)))
    void_game(league.pk, 1, reason="No.", username="test")


def running_job(league: League) -> None:
    """Let a job of the league be under way."""
    Job.objects.create(league=league, kind=Job.Kind.VERIFY, asked_by="olga", asked_at=timezone.now(), arguments={})


def test_everything_of_it_goes_and_the_slug_is_free() -> None:
    nothing = tables("Player", "Alias", "Edits")
    empty_league()
    owner = Api()
    owner.client = sign_in_member("olga", "owner", League.objects.get())
    assert owner.call("delete", "leagues/club/").status_code == 204
    assert tables("Player", "Alias", "Edits") == nothing
    connection.check_constraints()
    acted = AdminEntry.objects.get()
    assert (acted.user.username, acted.object_repr, acted.is_deletion()) == ("olga", "Club (club)", True)
    assert Player.objects.count() == 4
    assert Api("read").get("leagues/club/").status_code == 404
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    assert verify_league(league.pk).state == "is right"


def test_another_leagues_rows_stay_and_its_log_is_guarded_still() -> None:
    other = make_league(slug="other")
    record(other, sheet(("anna", "ben"), (1, 0)))
    publish_heads()
    before = {name: len(rows) for name, rows in tables().items()}
    delete_league(empty_league().pk, username="olga")
    assert {name: len(rows) for name, rows in tables().items()} == before
    assert verify_league(other.pk).state == "is right"
    for rows in (LogEntry.objects.filter(league=other), LogEntry.objects.filter(position=1)):
        with pytest.raises(DatabaseError, match="log never changes"), transaction.atomic():
            rows.delete()


@pytest.mark.parametrize(
    ("fill", "status", "code"),
    [
        (lambda league: record(league, sheet(("anna", "ben"), (1, 0))), 422, "refused"),
        (game_that_is_void, 422, "refused"),
        (lambda league: set_initial_rating(league.pk, player_of("anna"), 1600, username="x"), 422, "refused"),
        (running_job, 409, "conflict"),
    ],
)
def test_a_league_that_says_something_stays(fill: Callable[[League], Any], status: int, code: str) -> None:
    fill(empty_league())
    api = Api("organise")
    api.get("systems/")  # a token's use is noted once a minute
    before = tables()
    answer = api.call("delete", "leagues/club/")
    assert (answer.status_code, answer.data["code"]) == (status, code)
    assert tables() == before


@pytest.mark.parametrize(("role", "status"), [("recorder", 403), ("organiser", 403), ("owner", 204)])
def test_owners_delete(role: str, status: int) -> None:
    league = empty_league()
    api = Api()
    assert api.call("delete", "leagues/club/").status_code == 401
    api.client = sign_in_member("olga", role, league)
    assert api.call("delete", "leagues/club/").status_code == status
    assert League.objects.exists() == (status != 204)


def test_a_token_of_the_league_alone_ends_and_becomes_no_token_of_all() -> None:
    league, other = empty_league(), make_league(slug="other")
    texts = {name: make_token(name, "organise", leagues=leagues)[1] for name, leagues in (
        ("own", [league]), ("both", [league, other]), ("all", []),
    )}  # fmt: skip
    delete_league(league.pk, username="olga")
    good = {name for name, text in texts.items() if check_token(text) is not None}
    assert good == {"both", "all"}
    assert list(Token.objects.get(name="both").leagues.all()) == [other]


def test_the_desk_offers_it_for_an_empty_league_and_asks_first() -> None:
    league = empty_league()
    browser = sign_in_member("olga", "owner", league)
    assert f"{DESK}settings/delete/" in browser.get(f"{DESK}settings/").content.decode()
    page = browser.get(f"{DESK}settings/delete/")
    assert (page.status_code, League.objects.count()) == (200, 1)
    assert "Delete Club?" in page_text(page)
    done = browser.post(f"{DESK}settings/delete/", follow=True)
    assert (League.objects.count(), "Club was deleted." in page_messages(done)) == (0, True)


def test_the_desk_says_why_not() -> None:
    league = empty_league()
    browser = sign_in_member("olga", "owner", league)
    game_that_is_void(league)
    assert "settings/delete/" not in browser.get(f"{DESK}settings/").content.decode()
    refused = browser.post(f"{DESK}settings/delete/", follow=True)
    assert (League.objects.count(), "games" in page_messages(refused)) == (1, True)
    organiser = sign_in_member("otto", "organiser", league)
    assert organiser.post(f"{DESK}settings/delete/").status_code == 403


def test_an_entry_of_the_sites_log_needs_a_user_and_the_deletion_none() -> None:
    user = User.objects.create_user("olga")
    delete_league(empty_league().pk, username="server-7")
    delete_league(empty_league().pk, username="olga", user=user)
    assert [one.user for one in AdminEntry.objects.all()] == [user]
    assert timezone.now() - AdminEntry.objects.get().action_time < timedelta(minutes=1)
