"""Adds, changes and removes members of a league. The last owner cannot be removed."""

from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from league.core.errors import Conflict, Invalid, NotFound, Problem, Refused
from league.core.locking import locked
from league.core.text.names import is_storable
from league.models import League, Membership

OWNER = Membership.Role.OWNER


def format_role(role: str) -> str:
    """Return a role for use within a sentence, in the reader's language."""
    labels = {
        Membership.Role.RECORDER: pgettext("role of a member", "recorder"),
        Membership.Role.ARBITER: pgettext("role of a member", "arbiter"),
        Membership.Role.ORGANISER: pgettext("role of a member", "organiser"),
        Membership.Role.OWNER: pgettext("role of a member", "owner"),
    }
    return labels[Membership.Role(role)]


def make_unknown_role_problem() -> Problem:
    """Return the problem of an unknown role, listing the valid values."""
    roles = ", ".join(Membership.Role.values)
    return Problem("/role", "unknown", _("A role is one of: {roles}.").format(roles=roles))


@locked
def set_member(league: League, now: datetime, username: str, role: str) -> Membership:
    """Set a user's role in a league; raises Invalid, Refused, Conflict (last owner)."""
    if role not in Membership.Role.values:
        raise Invalid.of([make_unknown_role_problem()])
    user = find_user(username)
    if role != OWNER:
        refuse_last_owner(league, user)
    return Membership.objects.update_or_create(league=league, user=user, defaults={"role": role})[0]


@locked
def remove_member(league: League, now: datetime, username: str) -> None:
    """Remove a user's role in a league; raises NotFound if there is none, Conflict for the last owner."""
    member = (
        Membership.objects.filter(league=league, user__username=username).first() if is_storable(username) else None
    )
    if member is None:
        template = _("“{name}” is not a member of the league {league}.")
        raise NotFound(template.format(name=username, league=league.title))
    refuse_last_owner(league, member.user)
    member.delete()


def find_user(username: str) -> Any:
    """Return the active user with a username; raises Refused."""
    users = get_user_model().objects.filter(is_active=True)
    user = users.filter(username=username).first() if is_storable(username) else None
    if user is None:
        template = _("There is no user “{name}” on this site; the site's staff can add users.")
        raise Refused.of([Problem("/user", "unknown_user", template.format(name=username))])
    return user


def refuse_last_owner(league: League, user: Any) -> None:
    """Raise Conflict if a user is the only owner."""
    owners = list(Membership.objects.filter(league=league, role=OWNER).values_list("user_id", flat=True))
    if owners == [user.pk]:
        template = _("“{name}” is the last owner of {league}; make another member an owner first.")
        message = template.format(name=user.get_username(), league=league.title)
        raise Conflict.of([Problem("/role", "last_owner", message)])
