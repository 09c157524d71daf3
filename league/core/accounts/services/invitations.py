"""Creates, accepts, withdraws and deletes invitations to leagues."""

from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.core.accounts.selectors.invitations import (
    explain_end,
    find_invitation,
    list_assignable_roles,
    open_invitations,
)
from league.core.accounts.services.members import format_role, make_unknown_role_problem
from league.core.accounts.services.secret_links import SecretLinks
from league.core.accounts.services.tokens import hash_token
from league.core.errors import Conflict, Forbidden, Invalid, NotFound, Problem, Refused
from league.core.locking import locked
from league.core.permissions import ROLES, load_viewer_of_user
from league.core.text.names import is_storable, shorten_name
from league.models import Invitation, League, Membership

#: How long a link is good, and how long what came of it is kept.
GOOD_FOR, STORED_FOR = timedelta(days=settings.RUNGS_DAYS["invitations"]), timedelta(days=30)
MAX_OPEN = settings.RUNGS_LIMITS["invitations"]
NOTE_LENGTH = Invitation._meta.get_field("note").max_length or 0
UNKNOWN = gettext_noop("This invitation does not exist. The link may be incomplete.")


INVITATIONS = SecretLinks("league.invitation", find_invitation, explain_end, UNKNOWN)


@locked
def make_invitation(league: League, now: datetime, role: str, secret: str, *, user: Any, note: str = "") -> Invitation:
    """Create an invitation to a role, through a link with ``secret`` that is valid for seven days.

    Raises Invalid (unknown role, invalid note), Forbidden if the role is above that of ``user``, and
    Refused if too many invitations are open.
    """
    note = " ".join(note.split())
    if role not in Membership.Role.values:
        raise Invalid.of([make_unknown_role_problem()])
    if len(note) > NOTE_LENGTH or not is_storable(note):
        message = _("A note has at most {limit} characters.").format(limit=NOTE_LENGTH)
        raise Invalid.of([Problem("/note", "invalid", message)])
    if role not in list_assignable_roles(load_viewer_of_user(user), league):
        template = _("You cannot give a role above your own, so you cannot invite as {role} of {league}.")
        raise Forbidden(template.format(role=format_role(role), league=league.title))
    if open_invitations(league, now).count() >= MAX_OPEN:
        template = _("{league} already has {count} open invitations; withdraw one first.")
        raise Refused(template.format(count=MAX_OPEN, league=league.title))
    if INVITATIONS.look_up(secret) is not None:
        raise Conflict(_("This form has already created a link. Reload the page to create another one."))
    return Invitation.objects.create(
        league=league,
        role=role,
        digest=hash_token(secret),
        note=note,
        invited_by=user,
        made_at=now,
        expires_at=now + GOOD_FOR,
    )


@locked
def withdraw_invitation(league: League, now: datetime, pk: int, *, user: Any) -> Invitation:
    """Withdraw an open invitation; owners may withdraw all, organisers those for roles that they may give.

    Raises NotFound if it is not open, and Forbidden.
    """
    invitation = open_invitations(league, now).filter(pk=pk).first()
    if invitation is None:
        raise NotFound(_("This invitation is no longer open: it was used or withdrawn, or has expired."))
    if invitation.role not in list_assignable_roles(load_viewer_of_user(user), league):
        raise Forbidden(_("Only an owner can withdraw an invitation to become an owner."))
    invitation.withdrawn_at = now
    invitation.save(update_fields=["withdrawn_at"])
    return invitation


def accept(secret: str, user: Any) -> Membership:
    """Give the role of an invitation to an existing user.

    Raises NotFound, and Conflict if the invitation has ended, or if the user already has that role or a higher one: it
    then stays open.
    """
    return INVITATIONS.use(secret, partial(_accept, user=user))


def _accept(league: League, invitation: Invitation, now: datetime, *, user: Any) -> Membership:
    membership = Membership.objects.filter(league=invitation.league, user=user).first()
    if membership is not None and ROLES.index(membership.role) >= ROLES.index(invitation.role):
        template = _("You are already {role} of {league}. The invitation was not used and stays open.")
        raise Conflict(template.format(role=format_role(membership.role), league=invitation.league.title))
    return give(invitation, user, now)


def join(secret: str, username: str, password: str, email: str = "") -> Membership:
    """Create an account with the role of the invitation.

    Username, address and password must have been checked by Django's form. Raises NotFound, and Conflict if the
    invitation has ended or the name was just taken.
    """
    users = get_user_model()
    hashed = make_password(password)  # before the lock, as hashing is slow by design
    return INVITATIONS.use(secret, partial(_join, username=username, email=email, hashed=hashed, users=users))


def _join(
    league: League, invitation: Invitation, now: datetime, *, username: str, email: str, hashed: str, users: Any
) -> Membership:
    try:
        with transaction.atomic():
            user = users.objects.create(username=username, email=email, password=hashed)
    except IntegrityError:
        message = _("The name “{name}” is taken; choose another one.").format(name=shorten_name(username))
        raise Conflict.of([Problem("/username", "taken", message)]) from None
    return give(invitation, user, now)


def give(invitation: Invitation, user: Any, now: datetime) -> Membership:
    """Mark an invitation as used and write the membership."""
    invitation.used_at, invitation.used_by = now, user
    invitation.save(update_fields=["used_at", "used_by"])
    defaults = {"role": invitation.role}
    return Membership.objects.update_or_create(league=invitation.league, user=user, defaults=defaults)[0]


def delete_old_invitations(now: datetime | None = None) -> int:
    """Delete invitations that ended long ago, and their notes; return the number deleted.

    Invitations of current members stay, without notes.
    """
    cutoff = (now or timezone.now()) - STORED_FOR
    ended = Invitation.objects.filter(Q(used_at__lt=cutoff) | Q(withdrawn_at__lt=cutoff) | Q(expires_at__lt=cutoff))
    # Having joined by invitation allows owners to create a password link (``create_reset_link_for_member``).
    is_member = Exists(Membership.objects.filter(league=OuterRef("league"), user=OuterRef("used_by")))
    ended.filter(is_member).exclude(note="").update(note="")
    return ended.exclude(is_member).delete()[0]
