"""The shape of answers about rating systems; they describe themselves in it."""

from typing import Any

from rest_framework import serializers as s

from league.api.core.schemas import Shape


class SystemShape(Shape):
    """A rating system, as its file describes it."""

    key = s.CharField()
    title = s.CharField()
    summary = s.CharField()
    formula = s.CharField()
    players = s.DictField()
    result_fields = s.DictField()
    game_fields = s.JSONField()
    worksheet = s.DictField(allow_null=True, help_text="The paper of which a score is made: fields, formula.")
    state = s.ListField(child=s.DictField(), help_text="What is kept of a player, the rating first.")
    parts = s.ListField(child=s.DictField(), help_text="What a change is the sum of.")
    figures = s.ListField(child=s.DictField(), help_text="Intermediates of the sum, of each player.")
    pairs = s.ListField(child=s.DictField(), help_text="Intermediates of the sum, of each two players.")
    parameters = s.DictField()
    presets = s.ListField(child=s.DictField(), help_text="Published sets of parameters.")
    rulings = s.ListField(child=s.DictField())
    examples = s.ListField(child=s.DictField())
    checks = s.ListField(child=s.DictField(), help_text="Single figures that the source prints.")
    laws = s.ListField(child=s.DictField(), help_text="What holds for every game.")
    performance = s.DictField(help_text="The system's own figure for a game.")
    score = s.DictField(help_text="What the leaderboard ranks by.")
    lowest_rating = s.FloatField()
    highest_rating = s.FloatField()
    decimals = s.IntegerField(help_text="Digits after the point that pages show; the API never rounds.")
    seat_order_matters = s.CharField(help_text="Why the order of seats changes the sums, where it does.")

    def get_fields(self) -> dict[str, Any]:
        """Call a field ``source``, which fields keep for themselves."""
        return {**super().get_fields(), "source": s.CharField()}
