"""Who gets notices by mail: members with the role for a kind, as they chose, or by the default of the kind."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import Count, IntegerField, Q, Subquery, Value
from django.db.models.functions import Coalesce

from league.apps.notices.models import Notice, NoticeChoice, NoticeMail
from league.core.chats import chat_sender
from league.core.permissions import ROLES
from league.models import League, Membership

#: Kind -> the role that a member needs to get it by mail, and whether members who never chose get it.
MAILED: dict[str, tuple[str, bool]] = {
    Notice.Kind.EVENING: (Membership.Role.RECORDER, False),
    Notice.Kind.PERIOD_CLOSED: (Membership.Role.RECORDER, True),
    Notice.Kind.DECISION_DUE: (Membership.Role.ORGANISER, True),
    Notice.Kind.IMPORT_FAILED: (Membership.Role.RECORDER, True),
}


def chosen(user: Any, leagues: Iterable[League]) -> dict[tuple[int, str], bool]:
    """Return (league id, kind) -> whether a user chose it."""
    rows = NoticeChoice.objects.filter(user=user, league__in=leagues)
    return {(league, kind): wanted for league, kind, wanted in rows.values_list("league", "kind", "wanted")}


def wanted_by(league: League, user: Any, role: str) -> dict[str, bool]:
    """Return kind -> whether a user gets it by mail, for the kinds that are for a role."""
    own = chosen(user, [league])
    return {kind: own.get((league.pk, kind), MAILED[kind][1]) for kind in MAILED if reaches(role, kind)}


def reaches(role: str, kind: str) -> bool:
    """Return whether a kind of notices is for members of a role."""
    return ROLES.index(role) >= ROLES.index(MAILED[kind][0])


def to_be_mailed(league: League, kind: str) -> list[int]:
    """Return the keys of the members who get a kind of notices by mail."""
    roles = [role for role in ROLES if reaches(role, kind)]
    members = Membership.objects.filter(league=league, role__in=roles, user__is_active=True)
    said = dict(NoticeChoice.objects.filter(league=league, kind=kind).values_list("user", "wanted"))
    users = members.exclude(user__email="").order_by("user").values_list("user", flat=True)
    return [user for user in users if said.get(user, MAILED[kind][1])]


def mails_go_out() -> bool:
    """Return whether notices are mailed: there is a mail server, and the site knows its address for links."""
    return bool(settings.EMAIL_HOST and settings.RUNGS_ORIGIN)


def role_of(league: League, user: Any) -> str:
    """Return the role of a user in a league; "" for one who is no member."""
    found = Membership.objects.filter(league=league, user=user).values_list("role", flat=True).first()
    return found or ""


@dataclass(frozen=True)
class SentNotice:
    """A notice, with the numbers of its mails by state and of the chats that took it."""

    notice: Notice
    mailed: int
    waiting: int
    failed: int
    chats: int


def recent_notices(league: League, most: int) -> list[SentNotice]:
    """Return the last notices of a league whose facts are still stored, the newest first."""
    states = NoticeMail.State
    sender = chat_sender()
    chats: Any = Subquery(sender.sent_counts(league)) if sender else Value(None, output_field=IntegerField())
    found = Notice.objects.filter(league=league, facts__isnull=False).annotate(
        told_mailed=Count("mails", filter=Q(mails__state=states.SENT)),
        told_waiting=Count("mails", filter=Q(mails__state=states.WAITING)),
        told_failed=Count("mails", filter=Q(mails__state=states.FAILED)),
        told_chats=Coalesce(chats, 0),
    )
    return [
        SentNotice(one, one.told_mailed, one.told_waiting, one.told_failed, one.told_chats)
        for one in found.order_by("-number")[:most]
    ]
