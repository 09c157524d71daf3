"""Permissions: pages and API create a Viewer from a session or token; services check it.

An action needs a token's scope and a member's role. Sessions have every scope. Site staff (superusers) and the site's
own tokens have every role. Site staff may need a second step to sign in.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.core.db.statements import count_columns, execute_query, fetch_first_rows, format_select_list, make_object
from league.core.errors import Forbidden, NotFound
from league.core.text.names import is_storable
from league.models import League, Membership, Token

SCOPES = tuple(Token.Scope.values)
ROLES = tuple(Membership.Role.values)
#: Action -> the required scope of a token, and the required role of a member.
ACTIONS = {
    "read": ("read", "recorder"),
    "record": ("record", "recorder"),
    "arbitrate": ("organise", "arbiter"),
    "organise": ("organise", "organiser"),
    "own": ("organise", "owner"),
}
#: Role -> the messages for viewers without it: in a league that they may see, and in another one.
REFUSALS = {
    "recorder": (
        gettext_noop("This also changes the league {league}, of which “{name}” is not a recorder."),
        gettext_noop("This also changes another league, of which “{name}” is not a recorder."),
    ),
    "arbiter": (
        gettext_noop("This also changes the league {league}, of which “{name}” is not an arbiter."),
        gettext_noop("This also changes another league, of which “{name}” is not an arbiter."),
    ),
    "organiser": (
        gettext_noop("This also changes the league {league}, of which “{name}” is not an organiser."),
        gettext_noop("This also changes another league, of which “{name}” is not an organiser."),
    ),
    "owner": (
        gettext_noop("This also changes the league {league}, of which “{name}” is not an owner."),
        gettext_noop("This also changes another league, of which “{name}” is not an owner."),
    ),
}


@dataclass(frozen=True)
class Viewer:
    """A user or token with its permissions. ``scope`` is the highest granted, "" for anonymous viewers.

    ``leagues`` are the ids that the scope is limited to (None: all). ``roles`` are the roles by league id (None: every
    role in all leagues). ``user`` is the signed-in user or the token's author, ``token`` the id of the token.
    """

    name: str = ""
    scope: str = ""
    leagues: frozenset[int] | None = None
    roles: Mapping[int, str] | None = None
    user: Any = field(default=None, compare=False, repr=False)
    token: int | None = field(default=None, compare=False, repr=False)

    @property
    def account(self) -> str:
        """Who answers for what is done: the user, also of their tokens; a token of the site is one of its own."""
        if self.user is not None:
            return str(self.user.get_username())
        # Names of users have no slash.
        return self.name if self.token is None else f"token/{self.token}"

    def may(self, action: str, league: League | None = None) -> bool:
        """Return whether the viewer may do an action in a league or (None) on the site.

        Actions on the site, such as changing a player, need the role in any league, and a token for all leagues.
        """
        return not self.missing(action, league)

    def missing(self, action: str, league: League | None = None) -> str:
        """Return what the viewer lacks for an action, in words that follow “This needs”; "" if nothing."""
        scope, role = ACTIONS[action]
        limited = self.leagues is not None and (league is None or league.pk not in self.leagues)
        if self.scope not in SCOPES or SCOPES.index(self.scope) < SCOPES.index(scope) or limited:
            # Translators: what the viewer lacks; ends "This needs …". The word in quotation marks is a code.
            if league is None:
                return _("the scope “{scope}” for all leagues").format(scope=scope)
            return _("the scope “{scope}” for the league {league}").format(scope=scope, league=league.slug)
        if self.roles is None:
            return ""
        held_roles = self.roles.values() if league is None else [self.roles.get(league.pk)]
        if any(held_role is not None and ROLES.index(held_role) >= ROLES.index(role) for held_role in held_roles):
            return ""
        # Translators: what the viewer lacks; ends "This needs …". The word in quotation marks is a code.
        if league is None:
            return _("the role “{role}” in a league").format(role=role)
        return _("the role “{role}” in the league {league}").format(role=role, league=league.slug)

    def may_found(self) -> bool:
        """Return whether the viewer may create leagues: site staff, and users with Django's permission for it."""
        if self.roles is None or self.scope != "organise":
            return self.may("organise")
        return self.leagues is None and bool(self.user.has_perm("league.add_league"))

    def ids(self, action: str = "read") -> set[int] | None:
        """Return the ids of the leagues in which the viewer may do an action; None means all."""
        scope, role = ACTIONS[action]
        if self.scope not in SCOPES or SCOPES.index(self.scope) < SCOPES.index(scope):
            return set()
        if self.roles is None:
            return None if self.leagues is None else set(self.leagues)
        league_ids = {pk for pk, held_role in self.roles.items() if ROLES.index(held_role) >= ROLES.index(role)}
        return league_ids if self.leagues is None else league_ids & self.leagues


ANONYMOUS = Viewer()


def serialize_viewer(viewer: Viewer) -> dict[str, Any]:
    """Return a job's author in JSON types, for the worker."""
    leagues = None if viewer.leagues is None else sorted(viewer.leagues)
    roles = None if viewer.roles is None else {str(pk): role for pk, role in viewer.roles.items()}
    limits = {"name": viewer.name, "scope": viewer.scope, "leagues": leagues, "roles": roles}
    return {**limits, "user": viewer.user and viewer.user.pk, "token": viewer.token}


def load_viewer(note: Mapping[str, Any]) -> Viewer:
    """Return the viewer stored by ``serialize_viewer``, with their present permissions.

    Those without user and token, such as the operator at the command line, have the stored ones.
    """
    if note.get("token") is not None:
        token = Token.objects.select_related("maker").filter(pk=note["token"]).first()
        is_valid = token is not None and is_valid_token(token, timezone.now())
        return load_viewer_of_token(token) if token is not None and is_valid else Viewer(note["name"])
    if note.get("user") is not None:
        user = get_user_model().objects.filter(pk=note["user"], is_active=True).first()
        return Viewer(note["name"]) if user is None else load_viewer_of_user(user)
    leagues = None if note["leagues"] is None else frozenset(note["leagues"])
    roles = None if note["roles"] is None else {int(pk): role for pk, role in note["roles"].items()}
    return Viewer(note["name"], note["scope"], leagues, roles)


def find_viewers(name: str) -> list[Viewer]:
    """Return the user and the token of a name, with their present permissions; a token may be named like a user."""
    users = get_user_model().objects.filter(username=name, is_active=True)
    tokens = Token.objects.select_related("maker").filter(name=name)
    now = timezone.now()
    return [
        *map(load_viewer_of_user, users),
        *(load_viewer_of_token(token) for token in tokens if is_valid_token(token, now)),
    ]


def load_viewer_of_user(user: Any) -> Viewer:
    """Return the viewer of a signed-in user, with at most one query."""
    if not user.is_authenticated or not user.is_active:
        return ANONYMOUS
    return Viewer(user.get_username(), "organise", None, find_roles(user), user)


def find_token(prefix: str) -> Token | None:
    """Return the token with a prefix, valid or not, with its author and leagues, in one query."""
    rows = fetch_first_rows(_build_token_sql(), [prefix])
    if not rows:
        return None
    token = make_object(Token, rows[0][: count_columns(Token)])
    if token.maker_id is not None:
        token.maker = make_object(get_user_model(), rows[0][count_columns(Token) : -1])
    token.league_ids = frozenset(row[-1] for row in rows if row[-1] is not None)  # type: ignore[attr-defined]  # of this question
    return token


@cache
def _build_token_sql() -> str:
    """Return the statement of ``find_token``: one row per league of the token, or one row if it is for all."""
    user = get_user_model()
    return (
        f"SELECT {format_select_list(Token, 't')}, {format_select_list(user, 'u')}, l.league_id FROM league_token t "  # noqa: S608 -- own names
        f"LEFT JOIN {user._meta.db_table} u ON u.id = t.maker_id "
        "LEFT JOIN league_token_leagues l ON l.token_id = t.id WHERE t.prefix = %s"
    )


def is_valid_token(token: Token, now: datetime) -> bool:
    """Return whether a token is not revoked, expired or of an inactive user."""
    is_current = token.revoked_at is None and (token.expires_at is None or token.expires_at > now)
    return is_current and (token.maker is None or token.maker.is_active)


def load_viewer_of_token(token: Token) -> Viewer:
    """Return the viewer of a valid token: its scope, limited to the present roles of its author."""
    league_ids: frozenset[int] | None = getattr(token, "league_ids", None)
    leagues = frozenset(league.pk for league in token.leagues.all()) if league_ids is None else league_ids
    roles = None if token.maker is None else find_roles(token.maker)
    return Viewer(token.name, token.scope, leagues or None, roles, token.maker, token.pk)


def find_roles(user: Any) -> dict[int, str] | None:
    """Return league id -> role; None for site staff, who have every role."""
    if user.is_superuser:
        return None
    return dict(execute_query("SELECT m.league_id, m.role FROM league_membership m WHERE m.user_id = %s", [user.pk]))


def find_leagues_for(viewer: Viewer, action: str) -> QuerySet[League]:
    """Return the leagues in which the viewer may do an action."""
    ids = viewer.ids(action)
    return League.objects.all() if ids is None else League.objects.filter(pk__in=ids)


def find_only_league(viewer: Viewer) -> League | None:
    """Return the league in which the viewer may record, if it is a single one."""
    ids = viewer.ids("record")
    return League.objects.get(pk=next(iter(ids))) if ids is not None and len(ids) == 1 else None


def find_visible_leagues(viewer: Viewer) -> QuerySet[League]:
    """Return the leagues that the viewer may read."""
    public = Q(visibility=League.Visibility.PUBLIC)
    ids = viewer.ids()
    return League.objects.all() if ids is None else League.objects.filter(public | Q(pk__in=ids))


def find_league(slug: str, viewer: Viewer) -> League:
    """Return a league that the viewer may read; raises NotFound, also for other private leagues."""
    rows = execute_query(_build_league_sql(), [slug]) if is_storable(slug) else []
    league = make_object(League, rows[0]) if rows else None
    if league is None or not may_see(viewer, league):
        raise NotFound(_("There is no league “{slug}”.").format(slug=slug))
    return league


@cache
def _build_league_sql() -> str:
    """Return the statement that selects a league by its slug."""
    return f"SELECT {format_select_list(League, 'l')} FROM league_league l WHERE l.slug = %s"  # noqa: S608 -- own names


def may_see(viewer: Viewer, league: League) -> bool:
    """Return whether the viewer may read a league."""
    ids = viewer.ids()
    return league.visibility == League.Visibility.PUBLIC or ids is None or league.pk in ids


def refuse_foreign(viewer: Viewer, leagues: Collection[League], action: str = "organise") -> None:
    """Raise Forbidden if the viewer may not do an action in all of these leagues; private ones are not named."""
    for league in leagues:
        if not viewer.may(action, league):
            visible_template, hidden_template = REFUSALS[ACTIONS[action][1]]
            template = _(visible_template if may_see(viewer, league) else hidden_template)
            raise Forbidden(template.format(league=league.slug, name=viewer.name))


def refuse_lost_permission(viewer: Viewer, league: League, action: str) -> None:
    """Raise Forbidden if whoever asked for a job may no longer do its action."""
    missing = viewer.missing(action, league)
    if missing:
        template = _("“{name}” may no longer do this: it needs {missing}. Nothing was written.")
        raise Forbidden(template.format(name=viewer.name, missing=missing))


def find_members(league: League) -> QuerySet[Membership]:
    """Return the members of a league by name."""
    return Membership.objects.filter(league=league).select_related("user").order_by("user__username")


def find_tokens(user: Any) -> QuerySet[Token]:
    """Return a user's tokens by name; for site staff, all tokens."""
    tokens = Token.objects.select_related("maker").prefetch_related("leagues").order_by("name")
    return tokens if user.is_superuser else tokens.filter(maker=user)


def needs_second_factor(user: Any) -> bool:
    """Return whether a user must have a second step to sign in."""
    return bool(settings.RUNGS_STAFF_SECOND_FACTOR and (user.is_staff or user.is_superuser))
