"""The shapes of the answers about second boards; ``render`` builds them."""

from rest_framework import serializers as s

from league.api.core.schemas import PROVISIONAL, STATE, Shape


class SecondRowShape(Shape):
    """Where somebody stands by the second system."""

    rank = s.IntegerField()
    official_rank = s.IntegerField(help_text="By the league's own rating.")
    name = s.CharField()
    score = s.FloatField()
    rating = s.FloatField()
    games = s.IntegerField()
    player = s.CharField()
    state = s.DictField(child=s.FloatField(), help_text=STATE)
    provisional = s.BooleanField(help_text=PROVISIONAL)


class SecondBoardShape(Shape):
    """The board by a second system: of which games it is made, and a page of it."""

    league = s.CharField()
    system = s.CharField()
    title = s.CharField(help_text="The system with the parameters that are not as declared.")
    parameters = s.DictField(help_text="All of them.")
    chosen_at = s.DateTimeField()
    made_at = s.DateTimeField(allow_null=True, help_text="null: not made yet.")
    up_to_date = s.BooleanField(help_text="Whether the books are as they were when its games were read.")
    games = s.IntegerField(help_text="Rated games that it is made of.")
    last_game = s.IntegerField(allow_null=True, help_text="The number of the last one.")
    why_not = s.CharField(allow_null=True, help_text="Why the system cannot rate the games; null: it can.")
    results = SecondRowShape(many=True)
    next = s.URLField(allow_null=True)
