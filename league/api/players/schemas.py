"""The shapes of answers about players; ``render`` builds them."""

from rest_framework import serializers as s

from league.api.core.schemas import PROVISIONAL, STATE, Shape


class PlayerShape(Shape):
    """A player of the site."""

    handle = s.CharField()
    name = s.CharField()
    aliases = s.ListField(
        child=s.CharField(),
        help_text="For organisers of a league of theirs, and before the first game.",
    )
    active = s.BooleanField(help_text="Whether active in some league of theirs that the asker may read.")
    url = s.URLField()


class FormShape(Shape):
    """A recent game of a player."""

    game = s.IntegerField()
    played_at = s.DateTimeField()
    change = s.FloatField()


class OpponentShape(Shape):
    """A player's record against another: games together and who came out ahead."""

    player = s.CharField()
    name = s.CharField()
    games = s.IntegerField()
    ahead = s.IntegerField()
    level = s.IntegerField()
    behind = s.IntegerField()


class CardShape(Shape):
    """Where a player stands in a league."""

    player = s.CharField()
    name = s.CharField()
    rating = s.FloatField(allow_null=True)
    score = s.FloatField(allow_null=True)
    rank = s.IntegerField(allow_null=True)
    unlisted = s.CharField()
    active = s.BooleanField(help_text="Whether the player is active in this league.")
    games = s.IntegerField()
    peak = s.FloatField(allow_null=True)
    last_game = s.DateTimeField(allow_null=True)
    state = s.DictField(child=s.FloatField(), help_text=STATE)
    provisional = s.BooleanField(help_text=PROVISIONAL)
    form = FormShape(many=True)
    opponents = OpponentShape(many=True)


class ChangeShape(Shape):
    """A line of a player's history."""

    cause = s.ChoiceField(choices=["game", "pool"])
    game = s.IntegerField(allow_null=True)
    at = s.DateTimeField()
    before = s.FloatField()
    after = s.FloatField()
    change = s.FloatField()
    games = s.IntegerField()
    state = s.DictField(child=s.FloatField(), help_text=STATE)
    provisional = s.BooleanField(help_text=PROVISIONAL)
