"""Invitations to leagues: open ones, time left, and roles that a user may give."""

from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.core.permissions import ROLES, Viewer, load_viewer_of_user
from league.core.text.wording import format_with_separators
from league.models import Invitation, League

DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def list_assignable_roles(viewer: Viewer, league: League) -> list[str]:
    """Return the roles that a viewer may give in a league: for organisers and owners, up to their own."""
    if not viewer.may("organise", league):
        return []
    highest_role = ROLES[-1] if viewer.roles is None else viewer.roles[league.pk]
    return list(ROLES[: ROLES.index(highest_role) + 1])


def open_invitations(league: League, now: datetime) -> QuerySet[Invitation]:
    """Return the invitations to a league that can still be accepted, newest first."""
    invitations = Invitation.objects.filter(league=league, used_at=None, withdrawn_at=None, expires_at__gt=now)
    return invitations.select_related("invited_by").order_by("-made_at", "-pk")


def find_invitation(digest: str) -> Invitation | None:
    """Return the invitation with the hash of a secret, open or not."""
    return Invitation.objects.select_related("league", "invited_by").filter(digest=digest).first()


def explain_end(invitation: Invitation, now: datetime) -> str:
    """Return why an invitation cannot be accepted; "" if it can."""
    if invitation.used_at is not None:
        return _("This invitation has been used.")
    if invitation.withdrawn_at is not None:
        return _("This invitation was withdrawn.")
    if invitation.expires_at <= now:
        return _("This invitation has expired.")
    if invitation.role not in list_assignable_roles(load_viewer_of_user(invitation.invited_by), invitation.league):
        return _("This invitation is no longer valid: its author can no longer give this role.")
    return ""


def format_time_left(invitation: Invitation, now: datetime) -> str:
    """Return how long an invitation remains open, rounded up: “3 days left”."""
    remaining = invitation.expires_at - now
    if remaining > DAY:
        days = -(-remaining // DAY)
        return ngettext("{count} day left", "{count} days left", days).format(count=format_with_separators(days))
    if remaining > HOUR:
        hours = -(-remaining // HOUR)
        return ngettext("{count} hour left", "{count} hours left", hours).format(count=format_with_separators(hours))
    return _("less than an hour left")
