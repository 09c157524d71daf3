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


class NewPlayerShape(PlayerShape):
    """A player who was added."""

    similar = s.ListField(
        child=s.CharField(),
        help_text="Handles of players whom you may see and whose names look like this one: perhaps the same person.",
    )


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

    cause = s.ChoiceField(choices=["game", "pool", "season", "adjustment"])
    game = s.IntegerField(allow_null=True, help_text="The number of the game that moved it.")
    at = s.DateTimeField()
    before = s.FloatField()
    after = s.FloatField()
    change = s.FloatField()
    games = s.IntegerField()
    state = s.DictField(child=s.FloatField(), help_text=STATE)
    provisional = s.BooleanField(help_text=PROVISIONAL)
    adjustment = s.IntegerField(allow_null=True, help_text="The number of the adjustment that moved it.")


class RecordShape(Shape):
    """How often the first of two was ahead of the second, level and behind, in all games that count."""

    games = s.IntegerField()
    ahead = s.IntegerField()
    level = s.IntegerField()
    behind = s.IntegerField()


class ExpectedShape(Shape):
    """What the first of two was expected to score against the second, 1 a win, and what came of the same meetings."""

    meetings = s.IntegerField(help_text="The rated meetings of which the system in force expects something.")
    expected = s.FloatField(help_text="Where sides of several met, what was expected of the first's side counts.")
    actual = s.FloatField()


class SideShape(Shape):
    """One of two players in a meeting; null where the game is not rated."""

    player = s.CharField()
    seat = s.IntegerField()
    score = s.FloatField(allow_null=True)
    place = s.IntegerField(allow_null=True)
    before = s.FloatField(allow_null=True)
    change = s.FloatField(allow_null=True)
    after = s.FloatField(allow_null=True)


class MeetingShape(Shape):
    """A game that counts in which both sat."""

    game = s.IntegerField()
    played_at = s.DateTimeField()
    outcome = s.ChoiceField(choices=["ahead", "level", "behind"], help_text="Of the first.")
    expected = s.FloatField(
        allow_null=True,
        help_text="What the first was expected to score, 1 a win; in a game of sides, what the first's side was to "
        "score against the other's.",
    )
    actual = s.FloatField(help_text="1 ahead, 0.5 level, 0 behind.")
    sides = SideShape(many=True, help_text="The first, then the second.")


class VersusPlayerShape(Shape):
    """One of two players who are compared."""

    player = s.CharField()
    name = s.CharField()
    rating = s.FloatField(allow_null=True, help_text="As it stands now; null for who was never rated.")
    games = s.IntegerField()


class VersusShape(Shape):
    """Two players against each other; meetings are the latest first, a page of them."""

    players = VersusPlayerShape(many=True)
    record = RecordShape()
    expected = ExpectedShape(allow_null=True)
    why_not = s.CharField(help_text="Why nothing was expected, as a sentence; empty where something was.")
    meetings = MeetingShape(many=True)
    next = s.URLField(allow_null=True)
