"""Who is told by mail: members whose role a kind of notices is for, as they chose, or as the kind's default says."""

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

#: Kind -> the role that it takes to be told by mail, and whether who never chose is told.
MAILED: dict[str, tuple[str, bool]] = {
    Notice.Kind.EVENING: (Membership.Role.RECORDER, False),
    Notice.Kind.PERIOD_CLOSED: (Membership.Role.RECORDER, True),
    Notice.Kind.DECISION_DUE: (Membership.Role.ORGANISER, True),
    Notice.Kind.IMPORT_FAILED: (Membership.Role.RECORDER, True),
}


def chosen(user: Any, leagues: Iterable[League]) -> dict[tuple[int, str], bool]:
    """Return (league id, kind) -> whether someone wants it by mail, of what they chose."""
    rows = NoticeChoice.objects.filter(user=user, league__in=leagues)
    return {(league, kind): wanted for league, kind, wanted in rows.values_list("league", "kind", "wanted")}


def wanted_by(league: League, user: Any, role: str) -> dict[str, bool]:
    """Return kind -> whether someone of a role is told by mail, of the kinds that the role is told."""
    own = chosen(user, [league])
    return {kind: own.get((league.pk, kind), MAILED[kind][1]) for kind in MAILED if reaches(role, kind)}


def reaches(role: str, kind: str) -> bool:
    """Return whether a kind of notices is for members of a role."""
    return ROLES.index(role) >= ROLES.index(MAILED[kind][0])


def to_be_mailed(league: League, kind: str) -> list[int]:
    """Return the keys of the members who are told of such news by mail."""
    roles = [role for role in ROLES if reaches(role, kind)]
    members = Membership.objects.filter(league=league, role__in=roles, user__is_active=True)
    said = dict(NoticeChoice.objects.filter(league=league, kind=kind).values_list("user", "wanted"))
    users = members.exclude(user__email="").order_by("user").values_list("user", flat=True)
    return [user for user in users if said.get(user, MAILED[kind][1])]


def mails_go_out() -> bool:
    """Return whether notices are mailed: there is a mail server, and links in them can say where the site is."""
    return bool(settings.EMAIL_HOST and settings.RUNGS_ORIGIN)


def role_of(league: League, user: Any) -> str:
    """Return the role of a member, "" for who is none."""
    found = Membership.objects.filter(league=league, user=user).values_list("role", flat=True).first()
    return found or ""


@dataclass(frozen=True)
class SentNotice:
    """A notice that was told, and to how many: mails by what became of them, and chats that took it."""

    notice: Notice
    mailed: int
    waiting: int
    failed: int
    chats: int


def told_lately(league: League, most: int) -> list[SentNotice]:
    """Return the last notices of a league that still say what they told, the newest first."""
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
