"""Builds the answers about players: plain dicts with numbers at full precision."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.reverse import reverse

from league.core.leaderboard.selectors.boards import PoolMove
from league.core.leagues.selectors.adjustments import AdjustmentMove
from league.core.leagues.selectors.rules import rule_at, state_after, system_of, told_after
from league.core.players.selectors.cards import PlayerCard
from league.core.players.selectors.versus import Meeting, MeetingSide, Versus
from league.models import Player, RatingChange, Rule
from league.web.api.core.schemas import PROVISIONAL, STATE, PersonShape, Shape, metadata_shape, rendered
from ratings.contract.system import RatingSystem


class PlayerShape(Shape):
    """A player of the site."""

    handle = s.CharField()
    name = s.CharField()
    aliases = s.ListField(
        child=s.CharField(), help_text="For organisers of a league of theirs, and before the first game."
    )
    active = s.BooleanField(help_text="Whether active in some league of theirs that the asker may read.")
    metadata = metadata_shape("For organisers and tokens of a league of theirs; else empty.")
    external_ids = s.DictField(
        child=s.CharField(),
        help_text="Provider and what it calls the player, as metadata for organisers and tokens of a league of theirs.",
    )
    url = s.URLField()


class NewPlayerShape(PlayerShape):
    """A player who was added."""

    similar = s.ListField(
        child=s.CharField(),
        help_text="Handles of players whom you may see and whose names look like this one: perhaps the same person.",
    )


@extend_schema_serializer(deprecate_fields=["game"])
class FormShape(Shape):
    """A recent game of a player."""

    number = s.IntegerField(help_text="The number of the game.")
    game = s.IntegerField(help_text="The number.")
    played_at = s.DateTimeField()
    change = s.FloatField()


class RecordShape(Shape):
    """How often the first of two was ahead of the second, level and behind, in all games that count."""

    games = s.IntegerField()
    ahead = s.IntegerField()
    level = s.IntegerField()
    behind = s.IntegerField()


class OpponentShape(PersonShape, RecordShape):
    """A player's record against another: games together and who came out ahead."""


class LeaguePlayerShape(PersonShape):
    """Where a player stands in a league, as a row of several."""

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


class CardShape(LeaguePlayerShape):
    """Where a player stands in a league, with the last games and the opponents met most often."""

    form = FormShape(many=True)
    opponents = OpponentShape(many=True)


class LeaguePlayersShape(Shape):
    """Where players stand in a league, in the order asked."""

    results = LeaguePlayerShape(many=True)
    unknown = s.ListField(child=s.CharField(), help_text="What was asked for and is no player whom you may see.")


class ChangeShape(Shape):
    """A line of a player's history."""

    cause = s.ChoiceField(choices=["game", "pool", "system", "season", "adjustment"])
    game = s.IntegerField(allow_null=True, help_text="The number of the game that moved it.")
    at = s.DateTimeField()
    before = s.FloatField()
    after = s.FloatField()
    change = s.FloatField()
    games = s.IntegerField()
    state = s.DictField(child=s.FloatField(), help_text=STATE)
    provisional = s.BooleanField(help_text=PROVISIONAL)
    adjustment = s.IntegerField(allow_null=True, help_text="The number of the adjustment that moved it.")


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


@extend_schema_serializer(deprecate_fields=["game"])
class MeetingShape(Shape):
    """A game that counts in which both sat."""

    number = s.IntegerField(help_text="The number of the game.")
    game = s.IntegerField(help_text="The number.")
    played_at = s.DateTimeField()
    outcome = s.ChoiceField(choices=["ahead", "level", "behind"], help_text="Of the first.")
    expected = s.FloatField(
        allow_null=True,
        help_text="What the first was expected to score, 1 a win; in a game of sides, what the first's side was to "
        "score against the other's.",
    )
    actual = s.FloatField(help_text="1 ahead, 0.5 level, 0 behind.")
    sides = SideShape(many=True, help_text="The first, then the second.")


class VersusPlayerShape(PersonShape):
    """One of two players who are compared."""

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


def render_player(
    request: Request,
    player: Player,
    aliases: Sequence[str],
    active: bool,
    stored: tuple[Mapping[str, str], Mapping[str, str]],
) -> dict[str, Any]:
    """Return a player with the spellings that the asker may know; the handle is a spelling, too, but no alias.

    ``stored``: metadata and external ids, as far as the asker may know them.
    """
    url = reverse("api:player", [player.handle], request=request)
    metadata, ids = stored
    more = {"aliases": list(aliases), "active": active, "metadata": metadata, "external_ids": ids}
    return rendered(PlayerShape, player, url=url, **more)


def render_standing(card: PlayerCard) -> dict[str, Any]:
    """Return where a player is in a league."""
    return rendered(LeaguePlayerShape, card, player=card.player.handle, name=card.player.name, last_game=card.last_at)


def render_card(card: PlayerCard, form: list[RatingChange], opponents: list[dict[str, Any]]) -> dict[str, Any]:
    """Return where a player is in a league, with the last games and the opponents met most often."""
    games = [{"number": line.number, "game": line.number, "played_at": line.at, "change": line.change} for line in form]
    return {**render_standing(card), "form": games, "opponents": opponents}


def render_change(line: RatingChange, rules: Sequence[Rule]) -> dict[str, Any]:
    """Return a line of a player's history; ``rules`` are the league's."""
    game = line.cause == RatingChange.Cause.GAME
    games = line.games if game else line.games - 1
    told = told_after(system_then(rules, line.at), state_after(line), games)
    return rendered(ChangeShape, line, game=line.number if game else None, games=games, adjustment=None, **told)


def render_line(line: RatingChange | AdjustmentMove, rules: Sequence[Rule]) -> dict[str, Any]:
    """Return a line of a player's history, whatever made it."""
    return render_move(line, rules) if isinstance(line, AdjustmentMove) else render_change(line, rules)


def render_move(move: AdjustmentMove, rules: Sequence[Rule]) -> dict[str, Any]:
    """Return a line of a player's history that no game made."""
    line = move.line
    told = told_after(system_then(rules, line.at), move.state, line.games)
    adjustment = line.number if move.cause == "adjustment" else None
    return rendered(ChangeShape, line, cause=move.cause, game=None, adjustment=adjustment, **told)


def system_then(rules: Sequence[Rule], moment: datetime) -> RatingSystem:
    """Return the system by the rule that was in force at a moment at which a rating changed."""
    rule = rule_at(rules, moment)
    assert rule is not None, "what is rated has a rule"
    return system_of(rule)


def render_moved(moved: PoolMove, rules: Sequence[Rule]) -> dict[str, Any]:
    """Return the line of a player's history that no game of their own has settled yet."""
    told = told_after(system_then(rules, moved.at), moved.state, moved.games)
    change, cause = moved.after - moved.before, RatingChange.Cause.POOL
    return rendered(ChangeShape, moved, cause=cause, game=None, change=change, adjustment=None, **told)


OUTCOMES = {1: "ahead", 0: "level", -1: "behind"}


def render_versus(found: Versus, meetings: Sequence[Meeting], following: str | None) -> dict[str, Any]:
    """Return two players against each other, with a page of their meetings."""
    expected = found.expected
    return {
        "players": [
            {"player": who.handle, "name": who.name, "rating": found.ratings.get(who.pk), "games": len(lines)}
            for who, lines in zip(found.players, found.lines, strict=True)
        ],
        "record": rendered(RecordShape, found, games=len(found.meetings)),
        "expected": None if expected is None else expected._asdict(),
        "why_not": found.why_not,
        "meetings": [render_meeting(found.players, one) for one in meetings],
        "next": following,
    }


def render_meeting(players: Sequence[Player], one: Meeting) -> dict[str, Any]:
    """Return a game in which both sat."""
    sides = [render_side(who, side) for who, side in zip(players, one.sides, strict=True)]
    return rendered(MeetingShape, one, game=one.number, played_at=one.at, outcome=OUTCOMES[one.outcome], sides=sides)


def render_side(who: Player, side: MeetingSide) -> dict[str, Any]:
    """Return one of both in a meeting."""
    line = side.line
    figures = {name: getattr(line, name) if line else None for name in ("before", "change", "after")}
    return rendered(SideShape, side, player=who.handle, **figures)
