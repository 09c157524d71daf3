"""The page of a league's people: members and invitations, by every role."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.core.accounts.services.invitations import make_invitation, withdraw_invitation
from league.core.accounts.services.members import set_member
from league.core.errors import NotFound
from league.models import Invitation, Membership
from tests.helpers.builders import make_league
from tests.helpers.desk_client import browser_of
from tests.helpers.invitation_builders import LINK, PEOPLE, build_staffed_club, invite
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db


@long_way
def test_nobody_gives_a_role_above_their_own() -> None:
    build_staffed_club()
    User.objects.create_superuser("sara")
    made = 0
    for by, gives in (("rita", 0), ("olga", 2), ("oscar", 3), ("sara", 3)):
        for rank, role in enumerate(("recorder", "organiser", "owner")):
            answer = browser_of(by).post(f"{PEOPLE}invite/", {"role": role})
            made += rank < gives
            assert Invitation.objects.count() == made, (by, role)
            assert answer.status_code == (403 if not gives else 200)
            assert ('id="link"' in answer.content.decode()) == (rank < gives)


def test_invitations_are_listed_and_withdrawn() -> None:
    league = build_staffed_club()
    made = invite(league, note="  Vera   Ulrich ")
    later = make_invitation(league.pk, "owner", "other", user=User.objects.get(username="oscar"))
    shown = browser_of("olga").get(PEOPLE).content.decode()
    assert "Vera Ulrich" in shown
    assert "Recorder, 7 days left, from oscar" in shown
    assert f"{PEOPLE}invitations/{later.pk}/withdraw/" not in shown, "only owners withdraw what owners may give"
    answer = browser_of("olga").post(f"{PEOPLE}invitations/{later.pk}/withdraw/", follow=True)
    assert "Only an owner can withdraw" in answer.content.decode()
    answer = browser_of("olga").post(f"{PEOPLE}invitations/{made.pk}/withdraw/", follow=True)
    assert "The invitation for Vera Ulrich was withdrawn." in answer.content.decode()
    assert Client().get(LINK).status_code == 410
    again = browser_of("olga").post(f"{PEOPLE}invitations/{made.pk}/withdraw/", follow=True)
    assert "This invitation is no longer open" in again.content.decode()
    other = make_league(slug="other")
    with pytest.raises(NotFound):
        withdraw_invitation(other.pk, later.pk, user=User.objects.get(username="oscar"))


def test_members_rise_leave_and_come_back_by_one_press() -> None:
    build_staffed_club()
    oscar = browser_of("oscar")
    page = oscar.post(f"{PEOPLE}members/", {"user": "rita", "role": "organiser"}, follow=True)
    assert "rita is now organiser of Club." in page.content.decode()
    page = oscar.post(f"{PEOPLE}members/", {"user": "rita", "role": "none"}, follow=True)
    assert "rita is no longer a member." in page.content.decode()
    assert not Membership.objects.filter(user__username="rita").exists()
    assert 'name="role" value="organiser"><button class="btn">Undo</button>' in page.content.decode()
    assert "Undo" not in oscar.get(PEOPLE).content.decode(), "it is offered once"
    oscar.post(f"{PEOPLE}members/", {"user": "rita", "role": "organiser"})
    assert Membership.objects.get(user__username="rita").role == "organiser"
    assert oscar.post(f"{PEOPLE}members/", {"user": "nobody", "role": "none"}).status_code == 404
    page = oscar.post(f"{PEOPLE}members/", {"user": "nobody", "role": "owner"}, follow=True)
    assert "There is no user “nobody”" in page.content.decode()


def test_the_last_owner_stays_and_others_may_go() -> None:
    league = build_staffed_club()
    oscar = browser_of("oscar")
    for role in ("none", "recorder"):
        page = oscar.post(f"{PEOPLE}members/", {"user": "oscar", "role": role}, follow=True)
        assert "“oscar” is the last owner of Club; make another member an owner first." in page.content.decode()
    set_member(league.pk, "olga", "owner")
    answer = oscar.post(f"{PEOPLE}members/", {"user": "oscar", "role": "recorder"})
    assert answer.headers["Location"] == "/admin/leagues/club/"
    answer = browser_of("olga").post(f"{PEOPLE}members/", {"user": "oscar", "role": "owner"})
    answer = oscar.post(f"{PEOPLE}members/", {"user": "oscar", "role": "none"})
    assert answer.headers["Location"] == "/leagues/club/"
    assert oscar.get(PEOPLE).status_code in (302, 403)
