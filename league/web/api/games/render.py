"""Responses about games: dicts with unrounded numbers."""

from collections.abc import Sequence
from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.reverse import reverse

from league.core.games.selectors.games import ShownGame, ShownResult
from league.core.games.services.batches import FIGURES, New
from league.core.games.services.explain import ExplainedGame
from league.models import Game, League, Player, Result
from league.models.declared import RESULT, said_by
from league.web.api.core.schemas import PersonShape, Shape, metadata_shape, output_field_for
from league.web.api.leagues.render import RuleShape, render_rule
from ratings.describe.explaining import explain

STATUSES = ("rated", "pending", "unrated", "void")


class ResultShape(Shape):
    """One player's result in a game; the last five are null if the game is not rated."""

    seat = s.IntegerField()
    player = s.CharField()
    name = s.CharField()
    worksheet = s.DictField(
        child=s.FloatField(), required=False, help_text="The worksheet from which the score was computed, if any."
    )
    rating_before = s.FloatField(allow_null=True)
    rating_after = s.FloatField(allow_null=True)
    change = s.FloatField(allow_null=True)
    games = s.IntegerField(allow_null=True)
    performance = s.FloatField(allow_null=True)

    def get_fields(self) -> dict[str, Any]:
        """Insert the model's fields after the player."""
        own = super().get_fields()
        head = {name: own.pop(name) for name in ("seat", "player", "name")}
        return {**head, **{name: output_field_for(Result._meta.get_field(name)) for name in RESULT}, **own}


@extend_schema_serializer(deprecate_fields=["id"])
class GameShape(Shape):
    """A recorded game."""

    number = s.IntegerField(help_text="Its number in the league.")
    id = s.IntegerField(help_text="The number.")
    league = s.CharField()
    url = s.URLField()
    external_id = s.CharField(allow_null=True)
    played_at = s.DateTimeField()
    recorded_at = s.DateTimeField()
    recorded_by = s.CharField()
    kind = s.ChoiceField(choices=Game.Kind.choices)
    status = s.ChoiceField(choices=STATUSES)
    results = ResultShape(many=True)
    details = s.DictField()
    note = s.CharField()
    weight = s.FloatField(help_text="How much it counts; normally 1.")
    metadata = metadata_shape()
    void_reason = s.CharField()
    replaces = s.IntegerField(allow_null=True)
    replaced_by = s.IntegerField(allow_null=True)
    similar = s.ListField(
        child=s.IntegerField(),
        required=False,
        help_text="Only when a game is recorded without external_id and Idempotency-Key: the numbers of equal games "
        "recorded within the last hour. This one may have been sent twice.",
    )


class ResultLineShape(ResultShape):
    """A result with the fields of its game: a row of the games as CSV."""

    number = s.IntegerField()
    id = s.IntegerField(help_text="The number.")
    external_id = s.CharField(allow_null=True)
    played_at = s.DateTimeField()
    kind = s.ChoiceField(choices=Game.Kind.choices)
    status = s.ChoiceField(choices=STATUSES)
    note = s.CharField()


class ValueShape(Shape):
    """An intermediate value, with its symbol in the source."""

    key = s.CharField()
    symbol = s.CharField()
    value = s.FloatField()
    label_ = s.CharField()


class ExplainedPlayerShape(PersonShape):
    """One player's change; the values of ``parts``, added in order, are ``change``."""

    seat = s.IntegerField()
    score = s.FloatField(allow_null=True)
    place = s.IntegerField(allow_null=True)
    side = s.IntegerField(allow_null=True)
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
    """The intermediate values of a pair of players."""

    seats = s.ListField(child=s.IntegerField())
    players = s.ListField(child=s.CharField())
    figures = ValueShape(many=True)


@extend_schema_serializer(deprecate_fields=["game"])
class ExplanationShape(Shape):
    """Why the ratings changed."""

    number = s.IntegerField(help_text="The number of the game.")
    game = s.IntegerField(help_text="The number.")
    system = s.CharField()
    rule = RuleShape()
    formula = s.CharField()
    inputs = s.DictField()
    players = ExplainedPlayerShape(many=True)
    pairs = PairShape(many=True)
    shift = s.FloatField()


def render_game(request: Request, league: League, shown: ShownGame) -> dict[str, Any]:
    """Return a loaded game."""
    url = reverse("api:game", [league.slug, shown.game.number], request=request)
    lines = [render_result(line, shown.status) for line in shown.results]
    return render_sheet(league, url, shown.game, shown.status, lines, (shown.replaces, shown.replaced_by))


def render_new(url: str, league: League, new: New) -> dict[str, Any]:
    """Return a game that was just recorded in a batch, like ``render_game``; ``url`` is the game's."""
    lines = [
        render_line(seat, player, said_by(line), figures) for seat, (player, line, figures) in enumerate(new.lines, 1)
    ]
    return render_sheet(league, url, new.game, new.status, lines)


def render_sheet(
    league: League,
    url: str,
    game: Game,
    status: str,
    lines: Sequence[dict[str, Any]],
    replaced: tuple[int | None, int | None] = (None, None),
) -> dict[str, Any]:
    """Return a game with its result lines; ``replaced``: the numbers of the game it replaces and of its replacement."""
    worksheets = [{"worksheet": row} for row in game.worksheets] or [{}] * len(lines)
    return {
        "number": game.number,
        "id": game.number,
        "league": league.slug,
        "url": url,
        "external_id": game.external_id,
        "played_at": game.played_at,
        "recorded_at": game.recorded_at,
        "recorded_by": game.recorded_by,
        "kind": game.kind,
        "status": status,
        "results": [{**line, **worksheet} for line, worksheet in zip(lines, worksheets, strict=True)],
        "details": game.fields,
        "note": game.note,
        "weight": game.weight,
        "metadata": game.metadata,
        "void_reason": game.void_reason,
        "replaces": replaced[0],
        "replaced_by": replaced[1],
    }


def render_result(line: ShownResult, status: str) -> dict[str, Any]:
    """Return one player's result; outdated ratings are omitted while a replay is pending."""
    change = line.change if status == "rated" else None
    figures = [None if change is None else getattr(change, name) for name in FIGURES]
    return render_line(line.result.seat, line.result.player, said_by(line.result), figures)


def render_line(seat: int, player: Player, values: Sequence[Any], figures: Sequence[Any]) -> dict[str, Any]:
    """Return one player's result from the values of RESULT and FIGURES."""
    before, after, change, games, performance = figures
    return {
        "seat": seat,
        "player": player.handle,
        "name": player.name,
        **dict(zip(RESULT, values, strict=True)),
        "rating_before": before,
        "rating_after": after,
        "change": change,
        "games": games,
        "performance": performance,
    }


def render_explanation(explained: ExplainedGame) -> dict[str, Any]:
    """Return the explanation of a game's rating changes."""
    explanation = explain(explained.system, explained.sheet, explained.rated)
    people = list(zip(explained.handles, explained.names, strict=True))
    return {
        "number": explained.game.number,
        "game": explained.game.number,
        "system": explained.rule.system,
        "rule": render_rule(explained.rule),
        "formula": explained.system.wording().formula,
        "inputs": {"details": dict(explained.sheet.fields), "parameters": explained.system.to_json()},
        "players": [
            {"player": handle, "name": name, **seat}
            for (handle, name), seat in zip(people, explanation["seats"], strict=True)
        ],
        "pairs": [
            {**pair, "players": [explained.handles[seat - 1] for seat in pair["seats"]]}
            for pair in explanation["pairs"]
        ],
        "shift": explanation["shift"],
    }
