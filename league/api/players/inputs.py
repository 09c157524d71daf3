"""The bodies about players that the API takes."""

from typing import Any

from rest_framework import serializers

from league.api.core.inputs import Flag, Number, Strict, Text, Words


class PlayerChange(Strict):
    """What may be changed of a player."""

    name = Text(required=False, max_length=120)
    aliases = Words(required=False, most=50, help_text="All of them, without the handle.")
    active = Flag(required=False, help_text="In every league of theirs; leagues/{league}/players/{player}/ is for one.")


class PlayerInput(PlayerChange):
    """A new player."""

    handle = Text(max_length=64)


class LeaguePlayerInput(Strict):
    """What a league says of a player; what is left out stays."""

    initial_rating = Number(required=False, help_text="A start other than the system's; for organisers.")
    active = Flag(required=False, help_text="Whether the player is on the leaderboard and offered for new games.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a body that says nothing."""
        if not attrs:
            raise serializers.ValidationError(f"say one of: {', '.join(self.fields)}.", code="required")
        return attrs
