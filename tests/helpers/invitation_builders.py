"""A league whose members are invited."""

from django.contrib.auth.models import User
from django.test import Client

from league.core.accounts.services.invitations import make_invitation
from league.core.accounts.services.members import set_member
from league.models import Invitation, League
from tests.helpers.builders import make_league

PEOPLE = "/admin/leagues/club/people/"
SECRET = "a-secret-of-forty-three-letters-that-is-long"
LINK = f"/invitations/{SECRET}/"


def add_signed_in(league: League, name: str, role: str) -> Client:
    """Return the browser of a new member."""
    user = User.objects.create_user(name, password="correct horse battery")
    set_member(league.pk, name, role)
    browser = Client()
    browser.force_login(user)
    return browser


def build_staffed_club(*, visibility: str = "public") -> League:
    """Return a league with an owner, an organiser and a recorder."""
    league = make_league(visibility=visibility)
    for name, role in (("oscar", "owner"), ("olga", "organiser"), ("rita", "recorder")):
        add_signed_in(league, name, role)
    return league


def invite(league: League, role: str = "recorder", by: str = "oscar", note: str = "") -> Invitation:
    """Make an invitation whose link is known."""
    return make_invitation(league.pk, role, SECRET, user=User.objects.get(username=by), note=note)
