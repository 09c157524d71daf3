"""Responses about players: dicts with unrounded numbers."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.reverse import reverse

from league.core.leaderboard.selectors.boards import PoolMove
from league.core.leagues.selectors.adjustments import AdjustmentMove
from league.core.players.selectors.cards import PlayerCard
from league.core.players.selectors.versus import Meeting, MeetingSide, Versus
from league.core.rules.selectors.rules import (
    build_rule_system,
    build_state_after,
    find_rule_at,
    serialize_state_after,
)
from league.models import Player, RatingChange, Rule
from league.web.api.core.schemas import PROVISIONAL, STATE, PersonShape, Shape, build_metadata_field, render_fields
from league.web.api.fields import FieldValues
from ratings.contract.system import RatingSystem


class PlayerShape(Shape):
    """A player of the site."""

    handle = s.CharField()
    name = s.CharField()
    aliases = s.ListField(
        child=s.CharField(), help_text="Only for organisers of one of the player's leagues, or before the first game."
    )
    active = s.BooleanField(help_text="Whether the player is active in any league that you can read.")
    metadata = build_metadata_field("Only for organisers and tokens of one of the player's leagues; else empty.")
    external_ids = s.DictField(
        child=s.CharField(),
        help_text="Providers and the player's ID there, for organisers and tokens of one of the player's leagues.",
    )
    url = s.URLField()


class NewPlayerShape(PlayerShape):
    """A new player."""

    similar = s.ListField(
        child=s.CharField(),
        help_text="Handles of visible players with similar names: possible duplicates.",
    )


@extend_schema_serializer(deprecate_fields=["game"])
class FormShape(Shape):
    """A recent game of a player."""

    number = s.IntegerField(help_text="The number of the game.")
    game = s.IntegerField(help_text="The number.")
    played_at = s.DateTimeField()
    change = s.FloatField()


class RecordShape(Shape):
    """How often the first of two players finished ahead of the second, level or behind."""

    games = s.IntegerField()
    ahead = s.IntegerField()
    level = s.IntegerField()
    behind = s.IntegerField()


class OpponentShape(PersonShape, RecordShape):
    """A player's record against an opponent."""


class LeaguePlayerShape(PersonShape):
    """A player's standing in a league."""

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
    """A player's standing in a league, with recent games and the most frequent opponents."""

    form = FormShape(many=True)
    opponents = OpponentShape(many=True)
    fields_ = FieldValues(required=False, help_text="The values of the player's declared fields, if players have any.")


class LeaguePlayersShape(Shape):
    """The standings of some players in a league, in the requested order."""

    results = LeaguePlayerShape(many=True)
    unknown = s.ListField(child=s.CharField(), help_text="Requested players that do not exist or that you cannot see.")
    ambiguous = s.ListField(child=s.CharField(), help_text="Texts that are the name of several players.")


class ChangeShape(Shape):
    """An entry of a player's rating history."""

    cause = s.ChoiceField(choices=["game", "pool", "system", "season", "adjustment"])
    game = s.IntegerField(allow_null=True, help_text="The number of the game that changed it.")
    at = s.DateTimeField()
    before = s.FloatField()
    after = s.FloatField()
    change = s.FloatField()
    games = s.IntegerField()
    state = s.DictField(child=s.FloatField(), help_text=STATE)
    provisional = s.BooleanField(help_text=PROVISIONAL)
    adjustment = s.IntegerField(allow_null=True, help_text="The number of the adjustment that changed it.")


class ExpectedShape(Shape):
    """The first player's expected score against the second (1 is a win), and the actual score of the same meetings."""

    meetings = s.IntegerField(help_text="The number of rated meetings with an expected score.")
    expected = s.FloatField(help_text="In games between sides, the expected score of the first player's side counts.")
    actual = s.FloatField()


class SideShape(Shape):
    """One of two players in a meeting; ratings are null if the game is not rated."""

    player = s.CharField()
    seat = s.IntegerField()
    score = s.FloatField(allow_null=True)
    place = s.IntegerField(allow_null=True)
    before = s.FloatField(allow_null=True)
    change = s.FloatField(allow_null=True)
    after = s.FloatField(allow_null=True)


@extend_schema_serializer(deprecate_fields=["game"])
class MeetingShape(Shape):
    """A game between both players."""

    number = s.IntegerField(help_text="The number of the game.")
    game = s.IntegerField(help_text="The number.")
    played_at = s.DateTimeField()
    outcome = s.ChoiceField(choices=["ahead", "level", "behind"], help_text="The first player's outcome.")
    expected = s.FloatField(
        allow_null=True,
        help_text="The first player's expected score (1 is a win); in games between sides, that of the first player's "
        "side against the other's.",
    )
    actual = s.FloatField(help_text="1 ahead, 0.5 level, 0 behind.")
    sides = SideShape(many=True, help_text="The first, then the second.")


class VersusPlayerShape(PersonShape):
    """One of the two compared players."""

    rating = s.FloatField(allow_null=True, help_text="The current rating; null for a player who was never rated.")
    games = s.IntegerField()


class VersusShape(Shape):
    """Two players against each other, with a page of their meetings, latest first."""

    players = VersusPlayerShape(many=True)
    record = RecordShape()
    expected = ExpectedShape(allow_null=True)
    why_not = s.CharField(help_text="Why there is no expected score; empty if there is one.")
    meetings = MeetingShape(many=True)
    next = s.URLField(allow_null=True)


def render_player(
    request: Request,
    player: Player,
    aliases: Sequence[str],
    active: bool,
    stored: tuple[Mapping[str, str], Mapping[str, str]],
) -> dict[str, Any]:
    """Return a player; ``aliases`` and ``stored`` (metadata and external ids) are those that the viewer may see."""
    url = reverse("api:player", [player.handle], request=request)
    metadata, ids = stored
    extra_fields = {"aliases": list(aliases), "active": active, "metadata": metadata, "external_ids": ids}
    return render_fields(PlayerShape, player, url=url, **extra_fields)


def render_standing(card: PlayerCard) -> dict[str, Any]:
    """Return a player's standing in a league."""
    return render_fields(
        LeaguePlayerShape, card, player=card.player.handle, name=card.player.name, last_game=card.last_at
    )


def render_card(card: PlayerCard, form: list[RatingChange], opponents: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a player's standing with recent games and the most frequent opponents."""
    games = [{"number": line.number, "game": line.number, "played_at": line.at, "change": line.change} for line in form]
    return {**render_standing(card), "form": games, "opponents": opponents}


def render_change(line: RatingChange, rules: Sequence[Rule]) -> dict[str, Any]:
    """Return a game's or pool's entry of a rating history; ``rules`` are the league's."""
    game = line.cause == RatingChange.Cause.GAME
    games = line.games if game else line.games - 1
    effect = serialize_state_after(_find_system_at(rules, line.at), build_state_after(line), games)
    return render_fields(ChangeShape, line, game=line.number if game else None, games=games, adjustment=None, **effect)


def render_line(line: RatingChange | AdjustmentMove, rules: Sequence[Rule]) -> dict[str, Any]:
    """Return an entry of a rating history."""
    return render_move(line, rules) if isinstance(line, AdjustmentMove) else render_change(line, rules)


def render_move(move: AdjustmentMove, rules: Sequence[Rule]) -> dict[str, Any]:
    """Return an entry of a rating history that no game caused."""
    line = move.line
    effect = serialize_state_after(_find_system_at(rules, line.at), move.state, line.games)
    adjustment = line.number if move.cause == "adjustment" else None
    return render_fields(ChangeShape, line, cause=move.cause, game=None, adjustment=adjustment, **effect)


def _find_system_at(rules: Sequence[Rule], time: datetime) -> RatingSystem:
    """Return the rating system in force at the time of a rating change."""
    rule = find_rule_at(rules, time)
    assert rule is not None, "a rating change has a rule"
    return build_rule_system(rule)


def render_moved(move: PoolMove, rules: Sequence[Rule]) -> dict[str, Any]:
    """Return the last entry of a rating history if the pool moved the rating after the player's last game."""
    effect = serialize_state_after(_find_system_at(rules, move.at), move.state, move.games)
    change, cause = move.after - move.before, RatingChange.Cause.POOL
    return render_fields(ChangeShape, move, cause=cause, game=None, change=change, adjustment=None, **effect)


OUTCOMES = {1: "ahead", 0: "level", -1: "behind"}


def render_versus(matchup: Versus, meetings: Sequence[Meeting], following: str | None) -> dict[str, Any]:
    """Return two players against each other, with a page of their meetings."""
    expected = matchup.expected
    return {
        "players": [
            {
                "player": player.handle,
                "name": player.name,
                "rating": matchup.ratings.get(player.pk),
                "games": len(lines),
            }
            for player, lines in zip(matchup.players, matchup.lines, strict=True)
        ],
        "record": render_fields(RecordShape, matchup, games=len(matchup.meetings)),
        "expected": None if expected is None else expected._asdict(),
        "why_not": matchup.why_not,
        "meetings": [render_meeting(matchup.players, meeting) for meeting in meetings],
        "next": following,
    }


def render_meeting(players: Sequence[Player], meeting: Meeting) -> dict[str, Any]:
    """Return a game between two players."""
    sides = [render_side(player, side) for player, side in zip(players, meeting.sides, strict=True)]
    outcome = OUTCOMES[meeting.outcome]
    return render_fields(MeetingShape, meeting, game=meeting.number, played_at=meeting.at, outcome=outcome, sides=sides)


def render_side(player: Player, side: MeetingSide) -> dict[str, Any]:
    """Return one of the two players in a meeting."""
    line = side.line
    rating_fields = {name: getattr(line, name) if line else None for name in ("before", "change", "after")}
    return render_fields(SideShape, side, player=player.handle, **rating_fields)
