"""The shapes of answers about members and tokens; ``render`` builds them."""

from rest_framework import serializers as s

from league.api.core.schemas import Shape
from league.models import Membership, Token


class MemberShape(Shape):
    """A member of a league."""

    user = s.CharField()
    role = s.ChoiceField(choices=Membership.Role.choices)


class TokenShape(Shape):
    """A token without its secret; ``id`` is the part of its text that is no secret."""

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
    """A token with its text, which is shown only now."""

    token = s.CharField()
