"""Builds the answers about players: plain dicts with numbers at full precision."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.reverse import reverse

from league.models import Player, RatingChange, Rule
from league.selectors.adjustments import Move
from league.selectors.leaderboard.boards import Moved
from league.selectors.player_states import state_after, told_after
from league.selectors.players.cards import Card
from league.selectors.players.versus import Meeting, Side, Versus
from league.selectors.rules import rule_at, system_of
from ratings.contract.system import RatingSystem


def render_player(request: Request, player: Player, aliases: Sequence[str], active: bool) -> dict[str, Any]:
    """Return a player with the spellings that the asker may know; the handle is a spelling, too, but no alias."""
    return {
        "handle": player.handle,
        "name": player.name,
        "aliases": list(aliases),
        "active": active,
        "url": reverse("api:player", [player.handle], request=request),
    }


def render_card(card: Card, form: list[RatingChange], opponents: list[dict[str, Any]]) -> dict[str, Any]:
    """Return where a player stands in a league."""
    return {
        "player": card.player.handle,
        "name": card.player.name,
        "rating": card.rating,
        "score": card.score,
        "rank": card.rank,
        "unlisted": card.unlisted,
        "active": card.active,
        "games": card.games,
        "peak": card.peak,
        "last_game": card.last_at,
        "state": card.state,
        "provisional": card.provisional,
        "form": [{"game": line.number, "played_at": line.at, "change": line.change} for line in form],
        "opponents": opponents,
    }


def render_change(line: RatingChange, rules: Sequence[Rule]) -> dict[str, Any]:
    """Return a line of a player's history; ``rules`` are the league's."""
    game = line.cause == RatingChange.Cause.GAME
    games = line.games if game else line.games - 1
    return {
        "cause": line.cause,
        "game": line.number if game else None,
        "at": line.at,
        "before": line.before,
        "after": line.after,
        "change": line.change,
        "games": games,
        **told_after(system_then(rules, line.at), state_after(line), games),
        "adjustment": None,
    }


def render_line(line: RatingChange | Move, rules: Sequence[Rule]) -> dict[str, Any]:
    """Return a line of a player's history, whatever made it."""
    return render_move(line, rules) if isinstance(line, Move) else render_change(line, rules)


def render_move(move: Move, rules: Sequence[Rule]) -> dict[str, Any]:
    """Return a line of a player's history that no game made."""
    line = move.line
    return {
        "cause": move.cause,
        "game": None,
        "at": line.at,
        "before": line.before,
        "after": line.after,
        "change": line.change,
        "games": line.games,
        **told_after(system_then(rules, line.at), move.state, line.games),
        "adjustment": line.number or None,
    }


def system_then(rules: Sequence[Rule], moment: datetime) -> RatingSystem:
    """Return the system by the rule that was in force at a moment at which a rating changed."""
    rule = rule_at(rules, moment)
    assert rule is not None, "what is rated has a rule"
    return system_of(rule)


def render_moved(moved: Moved, rules: Sequence[Rule]) -> dict[str, Any]:
    """Return the line of a player's history that no game of their own has settled yet."""
    return {
        "cause": RatingChange.Cause.POOL,
        "game": None,
        "at": moved.at,
        "before": moved.before,
        "after": moved.after,
        "change": moved.after - moved.before,
        "games": moved.games,
        **told_after(system_then(rules, moved.at), moved.state, moved.games),
        "adjustment": None,
    }


OUTCOMES = {1: "ahead", 0: "level", -1: "behind"}


def render_versus(found: Versus, meetings: Sequence[Meeting], following: str | None) -> dict[str, Any]:
    """Return two players against each other, with a page of their meetings."""
    expected = found.expected
    return {
        "players": [
            {
                "player": who.handle,
                "name": who.name,
                "rating": found.ratings.get(who.pk),
                "games": len(lines),
            }
            for who, lines in zip(found.players, found.lines, strict=True)
        ],
        "record": {
            "games": len(found.meetings),
            "ahead": found.ahead,
            "level": found.level,
            "behind": found.behind,
        },
        "expected": None if expected is None else expected._asdict(),
        "why_not": found.why_not,
        "meetings": [render_meeting(found.players, one) for one in meetings],
        "next": following,
    }


def render_meeting(players: Sequence[Player], one: Meeting) -> dict[str, Any]:
    """Return a game in which both sat."""
    return {
        "game": one.number,
        "played_at": one.at,
        "outcome": OUTCOMES[one.outcome],
        "expected": one.expected,
        "actual": one.actual,
        "sides": [render_side(who, side) for who, side in zip(players, one.sides, strict=True)],
    }


def render_side(who: Player, side: Side) -> dict[str, Any]:
    """Return one of both in a meeting."""
    line = side.line
    return {
        "player": who.handle,
        "seat": side.seat,
        "score": side.score,
        "place": side.place,
        "before": line.before if line else None,
        "change": line.change if line else None,
        "after": line.after if line else None,
    }
