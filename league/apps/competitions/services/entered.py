"""Results of fixtures that were entered and do not count yet, because another entry must say the same."""

import json
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from league.apps.competitions.models import Competition
from league.core.games.services.game_input import NewGame, NewResult, normalize_negative_zero
from league.core.text.instants import format_instant
from league.models.facts import RESULT_VALUES

#: What is kept of a seat and of a sheet that was entered, apart from its time.
OF_SEAT = ("score", "place", "sets", "worksheet", "retired", "fields")
OF_SHEET = ("details", "weight", "fields", "note")


def replaces(one: Mapping[str, Any], choice: str, external_id: str, account: str) -> bool:
    """Return whether a new entry takes the place of one: it is the same sheet again, or of the same account."""
    same_sheet = bool(external_id) and one["external_id"] == external_id
    return same_sheet or (choice == Competition.ResultEntries.TWO_PEOPLE and one.get("account", one["by"]) == account)


def forget_entered(competition: Competition, numbers: Collection[int] | None = None) -> list[int]:
    """Forget what was entered of fixtures (None: of all), and return the numbers of those that had something."""
    fixtures = competition.fixtures.exclude(entered=[])
    if numbers is not None:
        fixtures = fixtures.filter(number__in=numbers)
    found = sorted(fixtures.values_list("number", flat=True))
    competition.fixtures.filter(number__in=found).update(entered=[])
    return found


def serialize_entered(new: NewGame) -> dict[str, Any]:
    """Return a sheet as it was sent, without what is as usual: all that its game would be recorded with."""
    results = [_serialize_given(one, NewResult(""), OF_SEAT) for one in new.results]
    time = {} if new.played_at is None else {"played_at": format_instant(new.played_at)}
    return {"results": results, **_serialize_given(new, NewGame([]), OF_SHEET), **time}


def _serialize_given(sent: Any, usual: Any, names: Collection[str]) -> dict[str, Any]:
    given = {name: getattr(sent, name) for name in names if getattr(sent, name) != getattr(usual, name)}
    copied: dict[str, Any] = json.loads(json.dumps(given, default=dict))
    return copied


def read_entered(one: Mapping[str, Any]) -> NewGame:
    """Return the sheet of an entry that is no forfeit."""
    given = {name: one[name] for name in OF_SHEET if name in one}
    played_at = datetime.fromisoformat(one["played_at"]) if "played_at" in one else None
    return NewGame([NewResult("", **line) for line in one["results"]], played_at=played_at, **given)


def build_said(recorded: NewGame, *, lowest_wins: bool) -> tuple[Any, ...]:
    """Return what two entries must have in common: all that is recorded, apart from note and time.

    A place that follows from the scores says nothing more; places alone of two say 1, ½ or 0.
    """
    lines = [tuple(map(normalize_negative_zero, RESULT_VALUES(one))) for one in recorded.results]
    sheet = {name: getattr(recorded, name) for name in ("details", "weight", "withheld")}
    sheet["details"] = {name: normalize_negative_zero(value) for name, value in sheet["details"].items()}
    return _normalize_places(lines, lowest_wins=lowest_wins), json.loads(json.dumps(sheet, default=dict))


def _normalize_places(lines: list[tuple[Any, ...]], *, lowest_wins: bool) -> list[tuple[Any, ...]]:
    sides = {side or -seat: (score, place) for seat, (score, place, side) in enumerate(lines, start=1)}
    scores, places = [score for score, _ in sides.values()], [place for _, place in sides.values()]
    if None not in scores:
        values = [score if lowest_wins else -score for score in scores]
        ranks = [1 + sum(other < value for other in values) for value in values]
        if all(place in (None, rank) for place, rank in zip(places, ranks, strict=True)):
            return [(score, None, side) for score, _, side in lines]
    elif scores == [None, None] and not lowest_wins and sorted(places, key=str) in ([1, 1], [1, 2]):
        points = {1: 1.0 if 2 in places else 0.5, 2: 0.0}
        return [(points[place], None, side) for _, place, side in lines]
    return lines
