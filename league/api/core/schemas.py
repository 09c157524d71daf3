"""The shapes of the API's answers, for the OpenAPI document; ``shapes`` builds them."""

from typing import Any

from rest_framework import serializers as s

from league.models import League

Shape = s.Serializer[Any]

STATE = "Every field of the system's state by its key, the rating first; GET systems/ says what each is."
PROVISIONAL = "Whether the system does not yet rely on the rating."


class ErrorShape(Shape):
    """One thing that is wrong; ``line`` where the body is a file."""

    pointer = s.CharField()
    code = s.CharField()
    detail = s.CharField()
    line = s.IntegerField(required=False)


class ProblemShape(Shape):
    """A problem document (RFC 9457)."""

    type = s.CharField()
    title = s.CharField()
    status = s.IntegerField()
    code = s.CharField()
    detail = s.CharField()
    replaced_by = s.IntegerField(required=False, help_text="409 of a void game: the game that replaced it.")

    def get_fields(self) -> dict[str, Any]:
        """Call a field ``errors``, which serializers keep for themselves."""
        return {**super().get_fields(), "errors": ErrorShape(many=True)}


class RuleShape(Shape):
    """A dated rule."""

    system = s.CharField()
    parameters = s.DictField()

    def get_fields(self) -> dict[str, Any]:
        """Call the first field ``from``, which Python keeps for itself."""
        return {"from": s.DateField(), **super().get_fields()}


class LeagueShape(Shape):
    """A league with the rule in force."""

    slug = s.CharField()
    title = s.CharField()
    game = s.CharField()
    description = s.CharField()
    time_zone = s.CharField()
    visibility = s.CharField()
    min_games = s.IntegerField()
    inactive_after_days = s.IntegerField(allow_null=True)
    close_after_hours = s.IntegerField()
    closing = s.ChoiceField(choices=League.Closing.choices)
    rule = RuleShape(allow_null=True)
    url = s.URLField()


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


class ResultShape(Shape):
    """One player's line of a game; the last five are null where the game is not rated."""

    seat = s.IntegerField()
    player = s.CharField()
    name = s.CharField()
    score = s.FloatField(allow_null=True)
    place = s.IntegerField(allow_null=True)
    worksheet = s.DictField(
        child=s.FloatField(), required=False, help_text="The paper of which the score was made, if any."
    )
    rating_before = s.FloatField(allow_null=True)
    rating_after = s.FloatField(allow_null=True)
    change = s.FloatField(allow_null=True)
    games = s.IntegerField(allow_null=True)
    performance = s.FloatField(allow_null=True)


class GameShape(Shape):
    """A game as it stands."""

    id = s.IntegerField()
    league = s.CharField()
    url = s.URLField()
    external_id = s.CharField(allow_null=True)
    played_at = s.DateTimeField()
    recorded_at = s.DateTimeField()
    recorded_by = s.CharField()
    kind = s.CharField()
    status = s.ChoiceField(choices=["rated", "pending", "unrated", "void"])
    results = ResultShape(many=True)
    details = s.DictField()
    note = s.CharField()
    void_reason = s.CharField()
    replaces = s.IntegerField(allow_null=True)
    replaced_by = s.IntegerField(allow_null=True)


class ResultLineShape(ResultShape):
    """A result with what its game says of itself: a line of the games as CSV."""

    id = s.IntegerField()
    external_id = s.CharField(allow_null=True)
    played_at = s.DateTimeField()
    kind = s.CharField()
    status = s.CharField()
    note = s.CharField()


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


class ValueShape(Shape):
    """A number of the sum under its symbol in the source."""

    key = s.CharField()
    symbol = s.CharField()
    value = s.FloatField()

    def get_fields(self) -> dict[str, Any]:
        """Call a field ``label``, which fields keep for themselves."""
        return {**super().get_fields(), "label": s.CharField()}


class ExplainedPlayerShape(Shape):
    """One player's change; the values of ``parts``, added in order, are ``change``."""

    player = s.CharField()
    name = s.CharField()
    seat = s.IntegerField()
    score = s.FloatField(allow_null=True)
    place = s.IntegerField(allow_null=True)
    games = s.IntegerField()
    before = s.DictField(child=s.FloatField())
    after = s.DictField(child=s.FloatField())
    rating_before = s.FloatField()
    rating_after = s.FloatField()
    change = s.FloatField()
    performance = s.FloatField(allow_null=True)
    figures = ValueShape(many=True)
    parts = ValueShape(many=True)
    words = s.CharField()


class PairShape(Shape):
    """What two players have between them."""

    seats = s.ListField(child=s.IntegerField())
    players = s.ListField(child=s.CharField())
    figures = ValueShape(many=True)


class ExplanationShape(Shape):
    """Why the ratings changed."""

    game = s.IntegerField()
    system = s.CharField()
    rule = RuleShape()
    formula = s.CharField()
    inputs = s.DictField()
    players = ExplainedPlayerShape(many=True)
    pairs = PairShape(many=True)
    shift = s.FloatField()


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


def page_of(shape: type[Shape], name: str) -> type[Shape]:
    """Return the shape of a page of things."""
    fields = {"results": shape(many=True), "next": s.URLField(allow_null=True)}
    return type(f"{name}Page", (s.Serializer,), {**fields, "__doc__": "A page; next is the address of the next one."})
