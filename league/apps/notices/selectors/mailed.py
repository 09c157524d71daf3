"""Recipients of notices by mail: members whose role gets the kind, by their choice or the kind's default."""

from typing import Any

from django.conf import settings
from django.db.models import Count, IntegerField, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from league.apps.notices.models import Notice, NoticeChoice, NoticeMail
from league.core.chats import find_chat_sender
from league.core.permissions import ROLES
from league.models import League, Membership

#: Kind -> minimum role, and the default for members who have not chosen.
MAIL_RULES: dict[str, tuple[str, bool]] = {
    Notice.Kind.EVENING: (Membership.Role.RECORDER, False),
    Notice.Kind.PERIOD_CLOSED: (Membership.Role.RECORDER, True),
    Notice.Kind.DECISION_DUE: (Membership.Role.ORGANISER, True),
    Notice.Kind.IMPORT_FAILED: (Membership.Role.RECORDER, True),
    Notice.Kind.ROUND_PUBLISHED: (Membership.Role.RECORDER, False),
    Notice.Kind.DEADLINE_NEAR: (Membership.Role.RECORDER, False),
    Notice.Kind.FINAL_STANDINGS: (Membership.Role.RECORDER, True),
}


def load_wanted_kinds(league: League, user: Any, role: str) -> dict[str, bool]:
    """Return the kinds for a role, with whether the user wants them."""
    choices = dict(NoticeChoice.objects.filter(league=league, user=user).values_list("kind", "wanted"))
    return {
        kind: choices.get(kind, default) for kind, (_role, default) in MAIL_RULES.items() if is_for_role(role, kind)
    }


def is_for_role(role: str, kind: str) -> bool:
    """Return whether members with a role get a kind of notices."""
    return ROLES.index(role) >= ROLES.index(MAIL_RULES[kind][0])


def find_mail_recipients(league: League, kind: str) -> list[int]:
    """Return the ids of the members who get a kind of notices by mail."""
    roles = [role for role in ROLES if is_for_role(role, kind)]
    members = Membership.objects.filter(league=league, role__in=roles, user__is_active=True)
    choices = dict(NoticeChoice.objects.filter(league=league, kind=kind).values_list("user", "wanted"))
    users = members.exclude(user__email="").order_by("user").values_list("user", flat=True)
    return [user for user in users if choices.get(user, MAIL_RULES[kind][1])]


def can_send_mails() -> bool:
    """Return whether mail is configured: a mail server, and the site's URL for links."""
    return bool(settings.EMAIL_HOST and settings.RUNGS_ORIGIN)


def find_role(league: League, user: Any) -> str:
    """Return the role of a user in a league, or "" if they are not a member."""
    role = Membership.objects.filter(league=league, user=user).values_list("role", flat=True).first()
    return role or ""


def load_recent_notices(league: League, limit: int) -> QuerySet[Any]:
    """Return the latest notices whose facts are still stored, newest first.

    Each has the numbers of its mails by state (``mailed``, ``waiting``, ``failed``) and of the ``chats`` that got it.
    """
    states = NoticeMail.State
    sender = find_chat_sender()
    chats: Any = Subquery(sender.sent_counts(league)) if sender else Value(None, output_field=IntegerField())
    notices = league.notices.with_facts().annotate(
        mailed=Count("mails", filter=Q(mails__state=states.SENT)),
        waiting=Count("mails", filter=Q(mails__state=states.WAITING)),
        failed=Count("mails", filter=Q(mails__state=states.FAILED)),
        chats=Coalesce(chats, 0),
    )
    return notices.order_by("-number")[:limit]
