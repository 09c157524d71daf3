"""Data of user accounts for requests about personal data; accounts are not linked to players, so they match by name."""

from typing import Any

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.contrib.admin.models import LogEntry as AdminEntry
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.utils import timezone

from league.core.capabilities import load_declared
from league.core.players.name_redaction import NameWords
from league.core.players.selectors.aliases import build_name_words, load_with_merged
from league.core.text.instants import format_instant
from league.models import Invitation, LogEntry, Membership, Player, Token

#: Maximum number of a person's sign-ins and actions listed, newest first.
MAX_ENTRIES = 1000


def serialize_site_data(player: Player, username: str = "") -> dict[str, Any]:
    """Return data outside leagues: accounts with one of the player's names, or the given username."""
    name_words = build_name_words(load_with_merged(player), parts=True)
    users = [user for user in User.objects.order_by("pk") if user.username == username or has_name(user, name_words)]
    tokens = Token.objects.order_by("pk")
    return {
        "accounts": [_serialize_account(user) for user in users],
        "labels_of_tokens": [token.name for token in tokens if name_words.written.name_in(token.name)],
        **{
            key: value
            for eraser in load_declared(lambda app: app.data.eraser)
            for key, value in eraser.describe_site(name_words).items()
        },
        "desk_log": [_describe_action(entry) for entry in find_actions_with_names(name_words)],
    }


def has_name(user: User, name_words: NameWords) -> bool:
    """Return whether an account has one of the complete names; a first name alone is not enough."""
    return any(map(name_words.name_in, (user.username, user.get_full_name(), user.email.partition("@")[0])))


def _serialize_account(user: User) -> dict[str, Any]:
    """Return all stored data of an account except secrets and their hashes."""
    name = user.username
    return {
        "username": name,
        "name": user.get_full_name(),
        "email": user.email,
        "made_at": format_instant(user.date_joined),
        "last_signed_in_at": user.last_login and format_instant(user.last_login),
        "open_sessions": UserSession.objects.filter(
            user=user, session_key__in=find_live_sessions().values("session_key")
        ).count(),
        "browsers": [
            {"began_at": format_instant(row.created_at), "address": row.ip, "browser": row.user_agent}
            for row in UserSession.objects.filter(user=user).order_by("pk")
        ],
        "connected": list(SocialAccount.objects.filter(user=user).values("provider", "uid", "extra_data")),
        "roles": [
            {"league": row.league.slug, "role": row.role}
            for row in Membership.objects.filter(user=user).select_related("league").order_by("pk")
        ],
        "tokens": [
            {
                "label": row.name,
                "scope": row.scope,
                "made_at": format_instant(row.created_at),
                "last_used_at": row.last_used_at and format_instant(row.last_used_at),
            }
            for row in Token.objects.filter(maker=user).order_by("pk")
        ],
        "invitations": [
            {"league": row.league.slug, "made_at": format_instant(row.made_at), "note": row.note,
             "used": row.used_by == user}
            for row in (Invitation.objects.filter(invited_by=user) | Invitation.objects.filter(used_by=user))
            .select_related("league").order_by("pk")
        ],
        "second_steps": list(Authenticator.objects.filter(user=user).order_by("pk").values_list("type", flat=True)),
        **{
            key: value
            for eraser in load_declared(lambda app: app.data.eraser)
            for key, value in eraser.describe_account(user).items()
        },
        "did_at_the_desk": [_describe_action(entry) for entry in AdminEntry.objects.filter(user=user)[:MAX_ENTRIES]],
        "entries_in_logs": LogEntry.objects.filter(by=name).count(),
    }  # fmt: skip


def find_live_sessions() -> QuerySet[Session]:
    """Return the sessions that have not expired."""
    return Session.objects.filter(expire_date__gt=timezone.now())


def find_actions_with_names(name_words: NameWords) -> list[AdminEntry]:
    """Return the admin log entries that mention one of the names."""
    acts = AdminEntry.objects.select_related("user").order_by("pk").iterator()
    return [
        entry for entry in acts if name_words.name_in(entry.object_repr) or name_words.name_in(entry.change_message)
    ]


def _describe_action(entry: AdminEntry) -> dict[str, Any]:
    """Return an admin log entry as JSON."""
    return {"at": format_instant(entry.action_time), "of": entry.object_repr, "said": entry.get_change_message()}
