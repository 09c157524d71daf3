"""Usual games of a batch, read without the framework's serializers, which take ten times as long.

Their specification is ``GameInput``: a game is returned only where that one surely reads the same; None says nothing.
"""

from datetime import datetime
from math import isfinite
from typing import Any

from league.models.facts import MOST_SEATS
from league.selectors.permissions import Viewer
from league.services.recording.game_input import MOST_DETAILS, TEXT_LIMITS, NewGame, NewResult

KNOWN = {"external_id", "played_at", "kind", "results", "details", "note"}
SAID = {"player", "score", "place"}
NUMBERS = {int, float}


class Unusual(Exception):
    """Something that ``GameInput`` must look at."""


def usual_game(value: Any, viewer: Viewer) -> NewGame | None:
    """Return the game that a JSON value tells of; None where it is not usual."""
    try:
        demand(type(value) is dict and value.keys() <= KNOWN and value.get("kind", "played") == "played")
        lines = value.get("results")
        demand(type(lines) is list and 1 <= len(lines) <= MOST_SEATS)
        return NewGame(
            results=[result_of(line) for line in lines],
            played_at=moment_of(value.get("played_at")),
            external_id=text_of(value.get("external_id"), "external_id"),
            details=details_of(value.get("details", {})),
            note=text_of(value["note"], "note") or "" if "note" in value else "",
            viewer=viewer,
        )
    except Unusual:
        return None


def demand(usual: bool) -> None:
    """Raise Unusual unless something is as it is in usual games."""
    if not usual:
        raise Unusual


def result_of(line: Any) -> NewResult:
    """Return a line of a sheet; raises Unusual."""
    demand(type(line) is dict and line.keys() <= SAID)
    player, score, place = line.get("player"), line.get("score"), line.get("place")
    demand(type(player) is str and player != "" and player == player.strip() and player.isprintable())
    demand(score is None or (type(score) in NUMBERS and isfinite(score)))
    demand(place is None or type(place) is int)
    return NewResult(player, None if score is None else float(score), place)


def moment_of(text: Any) -> datetime | None:
    """Return when a game was played, None where that is not said; raises Unusual."""
    if text is None:
        return None
    demand(type(text) is str and text.isascii())
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise Unusual from None
    demand(2 <= moment.year < 9998 and moment.tzinfo is not None)
    return moment


def text_of(text: Any, name: str) -> str | None:
    """Return a text that is not blank, None where there is none; raises Unusual."""
    if text is None and name == "external_id":
        return None
    demand(type(text) is str and text != "" and text == text.strip() and text.isprintable())
    demand(len(text) <= TEXT_LIMITS[name])
    return str(text)


def details_of(details: Any) -> dict[str, Any]:
    """Return the game fields where each is a number; raises Unusual."""
    demand(
        type(details) is dict and len(details) <= MOST_DETAILS and {type(one) for one in details.values()} <= NUMBERS
    )
    return dict(details)
