"""Members of a league, and the tokens of whoever is signed in."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from league.api.core.base import Endpoint, paged, query, refuse_token
from league.api.core.problems import Failed
from league.api.core.schemas import page_of
from league.api.members.inputs import MemberInput, TokenInput
from league.api.members.render import render_member, render_token
from league.api.members.schemas import MemberShape, NewTokenShape, TokenShape
from league.api.openapi.examples import LIST, PAGED, READ, WRITE, errors, request_example
from league.desk.sessions import just_proved
from league.models import League, Membership, Token
from league.names import storable
from league.selectors.permissions import find_league, members_of, tokens_of
from league.services.accounts.members import remove_member, set_member
from league.services.accounts.tokens import make_token, revoke_token

OWNERS = "Owners are made and removed by an owner who is signed in: a token cannot do it."


def is_owner(league: League, user: str) -> bool:
    """Return whether a user owns a league."""
    owners = members_of(league).filter(role=Membership.Role.OWNER)
    return storable(user) and owners.filter(user__username=user).exists()


def prove(request: Request) -> None:
    """Raise 403 where a session, and no token, asks for what reaches far, and its password was given long ago."""
    if not isinstance(request.auth, Token) and not just_proved(request.session):
        raise Failed(403, "You signed in a while ago: give your password at /accounts/again/, then send this again.")


class Members(Endpoint):
    """The members of a league."""

    @extend_schema(
        operation_id="list_members",
        parameters=PAGED,
        responses={200: page_of(MemberShape, "Member"), **READ, **errors(403)},
    )
    def get(self, request: Request, league: str) -> Response:
        """List the members and their roles; for owners."""
        the_league = self.league(league, "own")
        members, following = paged(request, members_of(the_league))
        return Response({"results": [render_member(member) for member in members], "next": following})


class OneMember(Endpoint):
    """A member of a league."""

    @extend_schema(
        operation_id="set_member",
        request=MemberInput,
        responses={200: MemberShape, **WRITE},
        examples=[request_example("Recorder", {"role": "recorder"})],
    )
    def put(self, request: Request, league: str, user: str) -> Response:
        """Give a user a role: recorder, organiser (includes recorder) or owner (includes both).

        To make an owner, or to give one another role, takes the session of an owner; a token is refused with 403.
        """
        the_league = self.league(league, "own")
        prove(request)
        query(request, {})
        role = self.body(MemberInput)["role"]
        if role == Membership.Role.OWNER or is_owner(the_league, user):
            refuse_token(request, OWNERS)
        return Response(render_member(set_member(the_league.pk, user, role)))

    @extend_schema(operation_id="remove_member", request=None, responses={204: None, **WRITE})
    def delete(self, request: Request, league: str, user: str) -> Response:
        """Take a user's role away; the last owner stays. A token takes no owner's: 403."""
        the_league = self.league(league, "own")
        prove(request)
        query(request, {})
        if is_owner(the_league, user):
            refuse_token(request, OWNERS)
        remove_member(the_league.pk, user)
        return Response(status=204)


class TokenEndpoint(Endpoint):
    """Base of the views of tokens: no token makes, shows or ends one."""

    def signed_in(self) -> Any:
        """Return the signed-in user; raises 401 or 403 for a token or a stranger."""
        refuse_token(self.request, "Tokens are managed by people: sign in, a token does not do.")
        if not self.viewer.name:
            raise NotAuthenticated("Sign in to manage your tokens.")
        return self.request.user


class Tokens(TokenEndpoint):
    """The tokens that you made."""

    @extend_schema(
        operation_id="list_tokens",
        parameters=PAGED,
        responses={200: page_of(TokenShape, "Token"), **LIST, **errors(403)},
    )
    def get(self, request: Request) -> Response:
        """List your tokens, without their secrets; the site's staff see all."""
        user = self.signed_in()
        tokens, following = paged(request, tokens_of(user))
        return Response({"results": [render_token(token) for token in tokens], "next": following})

    @extend_schema(
        operation_id="make_token",
        request=TokenInput,
        responses={201: NewTokenShape, **WRITE},
        examples=[request_example("Server", {"name": "server-7", "scope": "record", "leagues": ["preferans"]})],
    )
    def post(self, request: Request) -> Response:
        """Make a token of a league that you own; its text is in this answer and never again."""
        self.signed_in()
        prove(request)
        query(request, {})
        data = self.body(TokenInput)
        leagues = [find_league(slug, self.viewer) for slug in dict.fromkeys(data["leagues"])]
        token, text = make_token(
            data["name"], data["scope"], leagues=leagues, expires_at=data["expires_at"], maker=self.viewer
        )
        return Response({**render_token(token), "token": text}, status=201, headers={"Cache-Control": "no-store"})


class OneToken(TokenEndpoint):
    """A token that you made."""

    @extend_schema(operation_id="revoke_token", request=None, responses={204: None, **WRITE})
    def delete(self, request: Request, token: str) -> Response:
        """Revoke a token by its id; one that has ended stays ended."""
        user = self.signed_in()
        query(request, {})
        found = tokens_of(user).filter(prefix=token).first() if storable(token) else None
        if found is None:
            raise Failed(404, f"You have no token “{token[:40]}”.")
        if found.revoked_at is None:
            revoke_token(found.name)
        return Response(status=204)
