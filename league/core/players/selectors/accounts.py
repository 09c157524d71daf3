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
from league.core.log.chain import instant
from league.core.players.name_redaction import NameWords
from league.core.players.selectors.aliases import with_merged, words_of
from league.models import Invitation, LogEntry, Membership, Player, Token

#: Maximum number of a person's sign-ins and actions listed, newest first.
MAX_ENTRIES = 1000


def of_the_site(player: Player, username: str = "") -> dict[str, Any]:
    """Return data outside leagues: accounts with one of the player's names, or the given username."""
    words = words_of(with_merged(player), parts=True)
    users = [user for user in User.objects.order_by("pk") if user.username == username or has_name(user, words)]
    tokens = Token.objects.order_by("pk")
    return {
        "accounts": [account(user) for user in users],
        "labels_of_tokens": [one.name for one in tokens if words.written.name_in(one.name)],
        **{key: said for eraser in load_declared("erasers") for key, said in eraser.describe_site(words).items()},
        "desk_log": [describe_act(act) for act in acts_naming(words)],
    }


def has_name(user: User, words: NameWords) -> bool:
    """Return whether an account has one of the complete names; a first name alone is not enough."""
    return any(map(words.name_in, (user.username, user.get_full_name(), user.email.partition("@")[0])))


def account(user: User) -> dict[str, Any]:
    """Return all stored data of an account except secrets and their hashes."""
    name = user.username
    return {
        "username": name,
        "name": user.get_full_name(),
        "email": user.email,
        "made_at": instant(user.date_joined),
        "last_signed_in_at": user.last_login and instant(user.last_login),
        "open_sessions": UserSession.objects.filter(user=user, session_key__in=alive().values("session_key")).count(),
        "browsers": [
            {"began_at": instant(one.created_at), "address": one.ip, "browser": one.user_agent}
            for one in UserSession.objects.filter(user=user).order_by("pk")
        ],
        "connected": list(SocialAccount.objects.filter(user=user).values("provider", "uid", "extra_data")),
        "roles": [
            {"league": one.league.slug, "role": one.role}
            for one in Membership.objects.filter(user=user).select_related("league").order_by("pk")
        ],
        "tokens": [
            {
                "label": one.name,
                "scope": one.scope,
                "made_at": instant(one.created_at),
                "last_used_at": one.last_used_at and instant(one.last_used_at),
            }
            for one in Token.objects.filter(maker=user).order_by("pk")
        ],
        "invitations": [
            {"league": one.league.slug, "made_at": instant(one.made_at), "note": one.note, "used": one.used_by == user}
            for one in (Invitation.objects.filter(invited_by=user) | Invitation.objects.filter(used_by=user))
            .select_related("league").order_by("pk")
        ],
        "second_steps": list(Authenticator.objects.filter(user=user).order_by("pk").values_list("type", flat=True)),
        **{key: said for eraser in load_declared("erasers") for key, said in eraser.describe_account(user).items()},
        "did_at_the_desk": [describe_act(act) for act in AdminEntry.objects.filter(user=user)[:MAX_ENTRIES]],
        "entries_in_logs": LogEntry.objects.filter(by=name).count(),
    }  # fmt: skip


def alive() -> QuerySet[Session]:
    """Return the sessions that have not expired."""
    return Session.objects.filter(expire_date__gt=timezone.now())


def acts_naming(words: NameWords) -> list[AdminEntry]:
    """Return the admin log entries that mention one of the names."""
    acts = AdminEntry.objects.select_related("user").order_by("pk").iterator()
    return [act for act in acts if words.name_in(act.object_repr) or words.name_in(act.change_message)]


def describe_act(act: AdminEntry) -> dict[str, Any]:
    """Return an admin log entry as JSON."""
    return {"at": instant(act.action_time), "of": act.object_repr, "said": act.get_change_message()}
