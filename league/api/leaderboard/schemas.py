"""The shape of a leaderboard's row; ``render`` builds it."""

from rest_framework import serializers as s

from league.api.core.schemas import PROVISIONAL, STATE, Shape


class RowShape(Shape):
    """A row of the leaderboard."""

    rank = s.IntegerField()
    player = s.CharField()
    name = s.CharField()
    score = s.FloatField()
    rating = s.FloatField()
    games = s.IntegerField()
    change = s.FloatField()
    last_game = s.DateTimeField()
    state = s.DictField(child=s.FloatField(), help_text=STATE)
    provisional = s.BooleanField(help_text=PROVISIONAL)
