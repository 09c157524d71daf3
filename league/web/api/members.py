"""Members of a league, and the tokens of the signed-in user."""

from typing import Any

from django.utils import timezone
from rest_framework import serializers as s
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from league.core.accounts.services.members import remove_member, set_member
from league.core.accounts.services.tokens import make_token, revoke_token
from league.core.permissions import find_league, find_members, find_tokens
from league.core.text.names import is_storable
from league.models import League, Membership, Token
from league.web.api.core.base import Endpoint, parse_query, refuse_token
from league.web.api.core.idempotency import idempotent
from league.web.api.core.inputs import Moment, StrictSerializer, build_input_field
from league.web.api.core.responses import ApiProblem
from league.web.api.core.schemas import Shape
from league.web.api.openapi.examples import (
    LIST,
    READ,
    build_error_responses,
    describe_list,
    describe_write,
    request_example,
)
from league.web.sign_in.reauthentication import is_password_due


class MemberInput(StrictSerializer):
    """The role of a member."""

    role = build_input_field(Membership.role.field, required=True)


class TokenInput(StrictSerializer):
    """A new token."""

    name = build_input_field(Token.name.field, required=True, help_text="The program that uses it, e.g. a game server.")
    scope = build_input_field(Token.scope.field, required=True)
    leagues = s.ListField(
        child=build_input_field(League.slug.field),
        max_length=100,
        required=False,
        default=list,
        help_text="Its leagues; empty: all in which you have a role.",
    )
    expires_at = Moment(required=False, allow_null=True, default=None, help_text="Defaults to never.")

    def validate_expires_at(self, value: Any) -> Any:
        """Refuse a time in the past."""
        if value is not None and value <= timezone.now():
            raise s.ValidationError("must be in the future.", code="past")
        return value


class MemberShape(Shape):
    """A member of a league."""

    user = s.CharField()
    role = s.ChoiceField(choices=Membership.Role.choices)


class TokenShape(Shape):
    """A token without its secret; ``id`` is the public part of its text."""

    id = s.CharField()
    name = s.CharField()
    scope = s.ChoiceField(choices=Token.Scope.choices)
    leagues = s.ListField(child=s.CharField())
    maker = s.CharField(allow_null=True)
    created_at = s.DateTimeField()
    expires_at = s.DateTimeField(allow_null=True)
    revoked_at = s.DateTimeField(allow_null=True)
    last_used_at = s.DateTimeField(allow_null=True)


class NewTokenShape(TokenShape):
    """A token with its text, which is shown only once."""

    token = s.CharField(help_text="Empty if the request was repeated with its Idempotency-Key.")


def render_member(member: Membership) -> dict[str, Any]:
    """Return a member."""
    return {"user": member.user.get_username(), "role": member.role}


def render_token(token: Token) -> dict[str, Any]:
    """Return a token without its secret."""
    names = ("name", "scope", "created_at", "expires_at", "revoked_at", "last_used_at")
    return {
        "id": token.prefix,
        **{name: getattr(token, name) for name in names},
        "leagues": sorted(league.slug for league in token.leagues.all()),
        "maker": None if token.maker is None else token.maker.get_username(),
    }


OWNERS = "Only an owner who is signed in can add or remove owners; a token cannot."


def is_owner(league: League, user: str) -> bool:
    """Return whether a user owns a league."""
    owners = find_members(league).filter(role=Membership.Role.OWNER)
    return is_storable(user) and owners.filter(user__username=user).exists()


def require_recent_password(request: Request) -> None:
    """Raise 403 if the request uses a session whose password was entered too long ago."""
    if not isinstance(request.auth, Token) and is_password_due(request):
        raise ApiProblem(
            403, "You signed in a while ago. Enter your password at /accounts/again/, then send this again."
        )


class Members(Endpoint):
    """The members of a league."""

    @describe_list("list_members", MemberShape, "Member", {**READ, **build_error_responses(403)})
    def get(self, request: Request, league: str) -> Response:
        """List the members and their roles; for owners."""
        the_league = self.league(league, "own")
        return self.paginate(find_members(the_league), render_member)


class OneMember(Endpoint):
    """A member of a league."""

    @describe_write("set_member", MemberInput, {200: MemberShape}, request_example("Recorder", {"role": "recorder"}))
    def put(self, request: Request, league: str, user: str) -> Response:
        """Give a user a role: recorder, organiser (includes recorder) or owner (includes both).

        Making a user an owner, or changing an owner's role, needs an owner's session; a token gets 403.
        """
        the_league = self.league(league, "own")
        require_recent_password(request)
        parse_query(request, {})
        role = self.body(MemberInput)["role"]
        if role == Membership.Role.OWNER or is_owner(the_league, user):
            refuse_token(request, OWNERS)
        return Response(render_member(set_member(the_league.pk, user, role)))

    @describe_write("remove_member", None, {204: None})
    def delete(self, request: Request, league: str, user: str) -> Response:
        """Remove a user's role, except that of the last owner. A token cannot remove an owner: 403."""
        the_league = self.league(league, "own")
        require_recent_password(request)
        parse_query(request, {})
        if is_owner(the_league, user):
            refuse_token(request, OWNERS)
        remove_member(the_league.pk, user)
        return Response(status=204)


class TokenEndpoint(Endpoint):
    """Base of the views of tokens, which need a session."""

    def signed_in(self) -> Any:
        """Return the signed-in user; raises 401 for an anonymous request, 403 for a token."""
        refuse_token(self.request, "A token cannot manage tokens. Sign in instead.")
        if not self.viewer.name:
            raise NotAuthenticated("Sign in to manage your tokens.")
        return self.request.user


class Tokens(TokenEndpoint):
    """Your tokens."""

    @describe_list("list_tokens", TokenShape, "Token", {**LIST, **build_error_responses(403)})
    def get(self, request: Request) -> Response:
        """List your tokens without their secrets; the site's staff see everyone's."""
        return self.paginate(find_tokens(self.signed_in()), render_token)

    @describe_write(
        "make_token",
        TokenInput,
        {201: NewTokenShape},
        request_example("Server", {"name": "server-7", "scope": "record", "leagues": ["preferans"]}),
    )
    @idempotent("token")
    def post(self, request: Request) -> Response:
        """Create a token for a league that you own; its text is shown only in this response."""
        self.signed_in()
        require_recent_password(request)
        parse_query(request, {})
        data = self.body(TokenInput)
        leagues = [find_league(slug, self.viewer) for slug in dict.fromkeys(data["leagues"])]
        token, text = make_token(
            data["name"], data["scope"], leagues=leagues, expires_at=data["expires_at"], maker=self.viewer
        )
        return Response({**render_token(token), "token": text}, status=201, headers={"Cache-Control": "no-store"})


class OneToken(TokenEndpoint):
    """One of your tokens."""

    @describe_write("revoke_token", None, {204: None})
    def delete(self, request: Request, token: str) -> Response:
        """Revoke a token by its id; revoking it again has no effect."""
        user = self.signed_in()
        parse_query(request, {})
        stored_token = find_tokens(user).filter(prefix=token).first() if is_storable(token) else None
        if stored_token is None:
            raise ApiProblem(404, f"You have no token “{token[:40]}”.")
        if stored_token.revoked_at is None:
            revoke_token(stored_token.name)
        return Response(status=204)
