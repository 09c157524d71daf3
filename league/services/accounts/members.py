"""Members of a league: taken in, given another role, dismissed. A league that has an owner keeps one."""

from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model

from league.errors import Conflict, Invalid, NotFound, Problem, Refused
from league.models import League, Membership
from league.names import storable
from league.services.locking import with_league_lock

OWNER = Membership.Role.OWNER


def set_member(league_id: int, username: str, role: str) -> Membership:
    """Give a user a role in a league, whether they have one or not; raises Invalid, Refused, Conflict (last owner)."""
    if role not in Membership.Role.values:
        roles = ", ".join(Membership.Role.values)
        raise Invalid.of([Problem("/role", "unknown", f"A role is one of: {roles}.")])

    def work(league: League, now: datetime) -> Membership:
        user = find_user(username)
        if role != OWNER:
            refuse_last_owner(league, user)
        member, _ = Membership.objects.update_or_create(league=league, user=user, defaults={"role": role})
        return member

    return with_league_lock(league_id, work)


def remove_member(league_id: int, username: str) -> None:
    """Take a user's role in a league away; raises NotFound where there is none, Conflict for the last owner."""

    def work(league: League, now: datetime) -> None:
        member = (
            Membership.objects.filter(league=league, user__username=username).first() if storable(username) else None
        )
        if member is None:
            raise NotFound(f"“{username}” is no member of the league {league.title}.")
        refuse_last_owner(league, member.user)
        member.delete()

    with_league_lock(league_id, work)


def find_user(username: str) -> Any:
    """Return the user who can sign in under a name; raises Refused."""
    users = get_user_model().objects.filter(is_active=True)
    user = users.filter(username=username).first() if storable(username) else None
    if user is None:
        sentence = f"There is no user “{username}” on this site; the site's staff add users."
        raise Refused.of([Problem("/user", "unknown_user", sentence)])
    return user


def refuse_last_owner(league: League, user: Any) -> None:
    """Raise Conflict where a user is the only owner."""
    owners = list(Membership.objects.filter(league=league, role=OWNER).values_list("user_id", flat=True))
    if owners == [user.pk]:
        sentence = f"“{user.get_username()}” is the last owner of {league.title}; make somebody else an owner first."
        raise Conflict.of([Problem("/role", "last_owner", sentence)])
