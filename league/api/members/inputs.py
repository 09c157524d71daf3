"""The bodies about members and tokens that the API takes."""

from typing import Any

from django.utils import timezone
from rest_framework import serializers

from league.api.core.inputs import Moment, Strict, Text
from league.models import Membership, Token


class MemberInput(Strict):
    """What a member may do."""

    role = serializers.ChoiceField(choices=Membership.Role.choices)


class Slugs(serializers.ListField):
    """A short list of leagues."""

    def __init__(self, **options: Any) -> None:
        super().__init__(child=Text(max_length=50), max_length=100, **options)


class TokenInput(Strict):
    """A new token."""

    name = Text(max_length=100, help_text="What uses it, such as a game server's name.")
    scope = serializers.ChoiceField(choices=Token.Scope.choices)
    leagues = Slugs(required=False, default=list, help_text="Only these leagues; none: all in which you have a role.")
    expires_at = Moment(required=False, allow_null=True, default=None, help_text="Left out: never.")

    def validate_expires_at(self, value: Any) -> Any:
        """Refuse an end that is past."""
        if value is not None and value <= timezone.now():
            raise serializers.ValidationError("must be in the future.", code="past")
        return value
