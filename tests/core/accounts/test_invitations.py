"""Invitations by link: who may make them, what their page says in each state, and that one person gets the role."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone

from league.core.accounts.selectors.invitations import format_time_left
from league.core.accounts.services import invitations
from league.core.accounts.services.invitations import (
    accept,
    delete_old_invitations,
    join,
    make_invitation,
    withdraw_invitation,
)
from league.core.accounts.services.members import remove_member, set_member
from league.core.errors import Conflict, Forbidden, Invalid, NotFound, Refused, RungsError
from league.models import CacheEntry, Invitation, Membership, RequestKey
from tests.helpers.desk_client import browser_of
from tests.helpers.invitation_builders import LINK, PEOPLE, SECRET, build_staffed_club, invite
from tests.helpers.threads import in_threads

GOOD = {
    "how": "account",
    "username": "vera",
    "password1": "correct horse battery",
    "password2": "correct horse battery",
}
pytestmark = pytest.mark.django_db
together = pytest.mark.django_db(transaction=True)
ENDED = ("used", "withdrawn", "expired", "powerless")


def end(made: Invitation, how: str) -> None:
    """Let an invitation end."""
    now = timezone.now()
    if how == "powerless":
        set_member(made.league_id, "olga", "recorder")
    else:
        changed = {"used": {"used_at": now}, "withdrawn": {"withdrawn_at": now}, "expired": {"expires_at": now}}[how]
        Invitation.objects.filter(pk=made.pk).update(**changed)


def link_on(page: Any) -> str:
    """Return the link that a page shows."""
    (link,) = re.findall(r'id="link" readonly value="http://testserver([^"]+)"', page.content.decode())
    return str(link)


def test_a_second_organiser_comes_in_by_a_link_without_a_superuser() -> None:
    league = build_staffed_club(visibility="private")
    page = browser_of("oscar").post(f"{PEOPLE}invite/", {"role": "organiser", "note": "Vera"})
    link = link_on(page)
    stranger = Client()
    shown = stranger.get(link).content.decode()
    assert "oscar invites you to organise" in shown
    assert "Club" in shown
    answer = stranger.post(link, {**GOOD, "email": "vera@club.example"}, follow=True)
    assert answer.redirect_chain == [("/admin/leagues/club/", 302)]
    assert "You are now an organiser of Club." in answer.content.decode()
    vera = User.objects.get(username="vera")
    assert (vera.email, vera.is_staff, vera.is_superuser) == ("vera@club.example", False, False)
    assert vera.check_password("correct horse battery")
    assert Membership.objects.get(user=vera).role == "organiser"
    made = Invitation.objects.get()
    assert (made.used_by, made.league) == (vera, league)
    assert Client().get(link).status_code == 410


def test_the_link_is_nowhere_in_the_database_and_is_shown_once() -> None:
    build_staffed_club()
    browser = browser_of("oscar")
    secret = link_on(browser.post(f"{PEOPLE}invite/", {"role": "recorder", "note": ""})).split("/")[2]
    assert re.fullmatch(r"[\w-]{43}", secret)
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            assert secret not in repr(cursor.fetchall()), table
    assert secret not in browser.get(PEOPLE).content.decode()


def test_the_same_form_sent_twice_is_one_invitation_with_the_same_link() -> None:
    build_staffed_club()
    browser = browser_of("oscar")
    (key,) = re.findall(r'name="once" value="([0-9a-f]{32})"', browser.get(PEOPLE).content.decode())
    data = {"role": "recorder", "note": "Vera", "once": key}
    links = {link_on(browser.post(f"{PEOPLE}invite/", data)) for _ in range(2)}
    assert len(links) == Invitation.objects.count() == 1
    with patch("league.web.organiser.forms.timezone.now", return_value=timezone.now() + timedelta(minutes=5.1)):
        later = browser.post(f"{PEOPLE}invite/", data, follow=True).content.decode()
    assert "This form has already created a link, which was shown then." in later
    browser.post(f"{PEOPLE}invitations/{Invitation.objects.get().pk}/withdraw/")
    gone = browser.post(f"{PEOPLE}invite/", data, follow=True).content.decode()
    assert Invitation.objects.get().withdrawn_at is not None
    assert next(iter(links)).split("/")[2] not in gone, "what was withdrawn is no link to be sent on"
    assert next(iter(links)).split("/")[2] not in later
    changed = browser.post(f"{PEOPLE}invite/", {**data, "note": "Willem"})
    assert "This form has already created a link, and its contents have changed." in changed.content.decode()
    assert Invitation.objects.count() == RequestKey.objects.count() == 1
    assert browser.get(f"{PEOPLE}invite/").headers["Location"] == PEOPLE


def test_the_service_refuses_what_a_form_would_not_send(monkeypatch: pytest.MonkeyPatch) -> None:
    league = build_staffed_club()
    olga = User.objects.get(username="olga")
    with pytest.raises(Forbidden, match="so you cannot invite as owner of Club"):
        make_invitation(league.pk, "owner", SECRET, user=olga)
    with pytest.raises(Invalid, match="A role is one of: recorder, arbiter, organiser, owner"):
        make_invitation(league.pk, "king", SECRET, user=olga)
    for note in ("x" * 121, "a\0b"):
        with pytest.raises(Invalid, match="A note has at most 120"):
            make_invitation(league.pk, "recorder", SECRET, user=olga, note=note)
    monkeypatch.setattr(invitations, "MAX_OPEN", 1)
    invite(league)
    with pytest.raises(Refused, match="Club already has 1 open invitations"):
        make_invitation(league.pk, "recorder", "another", user=olga)
    page = browser_of("olga").post(f"{PEOPLE}invite/", {"role": "recorder"})
    assert "Club already has 1 open invitations" in page.content.decode()
    assert Invitation.objects.count() == 1


@pytest.mark.parametrize("how", ENDED)
def test_what_has_ended_says_a_sentence_and_nothing_else(how: str) -> None:
    end(invite(build_staffed_club(), by="olga", note="for Vera"), how)
    sentences = {
        "used": "This invitation has been used.",
        "withdrawn": "This invitation was withdrawn.",
        "expired": "This invitation has expired.",
        "powerless": "This invitation is no longer valid",
    }
    for answer in (Client().get(LINK), Client().post(LINK, GOOD), browser_of("rita").post(LINK, {"how": "present"})):
        shown = answer.content.decode()
        assert answer.status_code == 410
        assert sentences[how] in shown
        assert not any(word in shown for word in ("Club", "olga", "Vera", "<form"))
    assert not User.objects.filter(username="vera").exists()
    assert Membership.objects.get(user__username="rita").role == "recorder"


@pytest.mark.parametrize("secret", ["nothing", "%00", "…"])
def test_an_unknown_link_is_not_there(secret: str) -> None:
    build_staffed_club()
    answer = Client().get(f"/invitations/{secret}/")
    assert answer.status_code == 404
    assert "<h1>This invitation does not exist</h1>" in answer.content.decode()
    for text in ("none", "a\0b"):
        with pytest.raises(NotFound, match="This invitation does not exist"):
            join(text, "vera", "correct horse battery")


def test_guessing_is_slowed_down_and_a_right_link_costs_nothing() -> None:
    invite(build_staffed_club())
    for _ in range(3):
        answer = Client().get(LINK)
        assert answer.status_code == 200
    # Its page is kept nowhere.
    assert "no-store" in answer["Cache-Control"]
    assert (answer["X-Robots-Tag"], answer["Referrer-Policy"]) == ("noindex, nofollow", "same-origin")
    assert CacheEntry.objects.count() == 0
    codes = [Client().get(f"/invitations/{number}/").status_code for number in range(50)]
    assert set(codes) == {404}
    refused = Client().get("/invitations/another/")
    assert refused.status_code == 429
    assert refused["Retry-After"] == "3600"
    assert "Too many wrong links were opened from your network</h1>" in refused.content.decode()
    assert Client().get(LINK).status_code == 200, "a club has one address: nobody's guessing locks its guests out"
    assert Client().get("/invitations/another/", REMOTE_ADDR="198.51.100.7").status_code == 404


@pytest.mark.parametrize(
    ("changed", "field", "sentence"),
    [
        ({"username": "RITA"}, "username", "A user with that username already exists."),
        ({"username": "a b"}, "username", "Enter a valid username."),
        ({"password2": "correct horse batterx"}, "password2", "The two password fields didn’t match."),
        ({"password1": "password", "password2": "password"}, "password2", "This password is too common."),
        ({"email": "vera"}, "email", "Enter a valid email address."),
    ],
)
def test_what_cannot_be_an_account_is_told_at_its_field_and_nothing_is_written(
    changed: dict[str, str], field: str, sentence: str
) -> None:
    invite(build_staffed_club())
    answer = Client().post(LINK, {**GOOD, "email": "vera@club.example", **changed})
    shown = answer.content.decode()
    assert answer.status_code == 200
    assert any(sentence in error for error in answer.context["form"].errors[field])
    assert "No account was created." in shown
    assert f'value="{changed.get("email", "vera@club.example")}"' in shown, "what was typed stays"
    assert "correct horse" not in shown
    assert User.objects.count() == 3
    assert Invitation.objects.get().used_at is None


def test_a_name_that_was_taken_meanwhile_is_told_at_its_field(monkeypatch: pytest.MonkeyPatch) -> None:
    invite(build_staffed_club())
    with pytest.raises(Conflict, match="The name “rita” is taken"):
        join(SECRET, "rita", "correct horse battery")
    monkeypatch.setattr(
        "league.web.sign_in.invitation_page.AccountForm.clean_username", lambda form: "rita", raising=False
    )
    monkeypatch.setattr("league.web.sign_in.invitation_page.AccountForm._post_clean", lambda form: None)
    answer = Client().post(LINK, {**GOOD, "username": "rita"})
    assert answer.status_code == 409
    assert answer.context["form"].errors["username"] == ["The name “rita” is taken; choose another one."]
    assert (User.objects.count(), Invitation.objects.get().used_at) == (3, None)


def test_somebody_with_an_account_accepts_with_it_while_signed_in() -> None:
    league = build_staffed_club()
    User.objects.create_user("otto")
    invite(league, "organiser")
    otto = browser_of("otto")
    assert "You are signed in as otto" in otto.get(LINK).content.decode()
    # A form of the present account after signing out makes nothing; signing out leads back to the link.
    assert (Client().post(LINK, {"how": "present"}).status_code, User.objects.count()) == (200, 4)
    left = browser_of("rita").post("/admin/logout/", {"next": LINK})
    assert (left.status_code, left.headers["Location"]) == (302, LINK)
    assert otto.post(LINK, {"how": "present"}, follow=True).redirect_chain == [("/admin/leagues/club/", 302)]
    assert Membership.objects.get(user__username="otto").role == "organiser"


def test_a_recorder_rises_and_nobody_is_put_lower() -> None:
    league = build_staffed_club()
    invite(league, "organiser")
    for name, held in (("oscar", "owner"), ("olga", "organiser")):
        answer = browser_of(name).post(LINK, {"how": "present"})
        assert answer.status_code == 409
        assert f"You are already {held} of Club. The invitation was not used" in answer.content.decode()
        assert Membership.objects.get(user__username=name).role == held
    assert browser_of("rita").post(LINK, {"how": "present"}).status_code == 302
    assert Membership.objects.get(user__username="rita").role == "organiser"


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (timedelta(days=7), "7 days left"),
        (timedelta(days=2, seconds=1), "3 days left"),
        (timedelta(days=1), "24 hours left"),
        (timedelta(hours=1, seconds=1), "2 hours left"),
        (timedelta(minutes=5), "less than an hour left"),
    ],
)
def test_how_long_it_is_open(left: timedelta, words: str) -> None:
    now = datetime(2026, 7, 2, 19, 30, tzinfo=UTC)
    assert format_time_left(Invitation(expires_at=now + left), now) == words


def test_it_is_forgotten_after_thirty_seven_days_but_by_which_a_member_came_while_they_are_one() -> None:
    league = build_staffed_club()
    made = invite(league, note="for Rita from the bar")
    assert made.expires_at - made.made_at == timedelta(days=7)
    later = made.made_at + timedelta(days=37, seconds=1)
    assert delete_old_invitations(made.made_at + timedelta(days=36)) == 0
    assert Invitation.objects.get().note == "for Rita from the bar"
    Invitation.objects.update(used_by=User.objects.get(username="olga"), used_at=made.made_at)
    assert delete_old_invitations(later) == 0
    assert Invitation.objects.get().note == ""
    remove_member(league.pk, "olga")
    assert delete_old_invitations(later) == 1
    invite(league)
    assert delete_old_invitations(Invitation.objects.get().made_at + timedelta(days=37, seconds=1)) == 1, (
        "used by nobody"
    )


def test_what_a_dismissed_inviter_made_is_good_no_longer() -> None:
    league = build_staffed_club()
    invite(league, by="olga")
    remove_member(league.pk, "olga")
    assert Client().get(LINK).status_code == 410
    set_member(league.pk, "olga", "organiser")
    User.objects.filter(username="olga").update(is_active=False)
    assert Client().get(LINK).status_code == 410


def detail_of(work: Callable[[], Any]) -> str:
    """Return who came in by some work, "" where it tells nobody, or why it is refused."""
    try:
        return str(getattr(work(), "user", ""))
    except RungsError as error:
        return error.detail


@together
def test_of_many_who_use_one_link_at_once_one_gets_the_role() -> None:
    invite(build_staffed_club(), "organiser")
    otto = User.objects.create_user("otto")
    tries = [partial(join, SECRET, f"vera{number}", "correct horse battery") for number in range(3)]
    answers = in_threads([partial(detail_of, work) for work in [*tries, partial(accept, SECRET, otto)]])
    assert sorted(answers)[:3] == ["This invitation has been used."] * 3
    (winner,) = set(answers) - {"This invitation has been used."}
    assert Membership.objects.filter(role="organiser").exclude(user__username="olga").get().user.username == winner
    assert User.objects.filter(username__startswith="vera").count() == int(winner != "otto"), "no account is left over"
    assert Invitation.objects.get().used_by == User.objects.get(username=winner)


@together
def test_withdrawing_and_accepting_at_once_end_in_one_of_the_two() -> None:
    league = build_staffed_club()
    made = invite(league)
    withdraw = partial(withdraw_invitation, league.pk, made.pk, user=User.objects.get(username="oscar"))
    accepting = partial(join, SECRET, "vera", "correct horse battery")
    answers = in_threads([partial(detail_of, work) for work in (accepting, withdraw)])
    assert [answer in ("vera", "") for answer in answers].count(True) == 1
    made.refresh_from_db()
    assert (made.used_at is None) != (made.withdrawn_at is None)
    assert User.objects.filter(username="vera").exists() == (made.used_at is not None)
