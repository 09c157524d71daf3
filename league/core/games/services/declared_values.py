"""Takes the values of declared fields from a submitted game, and stores them with it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from league.core.calendar import compute_local_date
from league.core.errors import Problem, Refused
from league.core.fields.selectors.fields import Of, load_fields
from league.core.fields.values import StoredValues, find_faults, find_missing, split_values
from league.core.games.services.game_input import UNPLAYED, NewGame, NewResult
from league.models import DeclaredField, Game, League, Player
from league.models.recorded import DECLARED


def has_values(new: NewGame) -> bool:
    """Return whether values were sent with a game or one of its seats."""
    return new.fields is not None or any(result.fields is not None for result in new.results)


def store_values(league: League, new: NewGame, now: datetime, fields: Sequence[DeclaredField] | None = None) -> NewGame:
    """Return the game with the values of its fields as they are stored; no query if the league has no fields.

    Raises Refused naming each undeclared, wrong or missing one. ``fields``: those of the league, if they are known.
    """
    if not league.has_fields and not has_values(new):
        return new
    fields = load_fields(league) if fields is None else fields
    day = compute_local_date(new.played_at or now, league.time_zone)
    of_game = [declared for declared in fields if declared.of == Of.GAME]
    of_seats = [declared for declared in fields if declared.of == Of.SEAT]
    problems: list[Problem] = []
    values = _collect_values(of_game, new.fields or {}, day, (), problems, new.kind)
    seats = [
        _collect_values(of_seats, result.fields or {}, day, ("results", seat), problems, new.kind)
        for seat, result in enumerate(new.results)
    ]
    if problems:
        raise Refused.of(problems)
    shown, withheld = split_values(of_game, values)
    of_seat = [split_values(of_seats, seat_values) for seat_values in seats]
    shown_values = StoredValues(shown, [part for part, _withheld in of_seat]).build()
    withheld_values = StoredValues(withheld, [part for _shown, part in of_seat]).build()
    details: Mapping[str, Any] = {key: value for key, value in new.details.items() if key != DECLARED}
    return replace(
        new,
        results=_drop_values(new.results),
        details={**details, DECLARED: shown_values} if shown_values else details,
        withheld=withheld_values,
        fields=None,
    )


def _collect_values(
    fields: Sequence[DeclaredField],
    sent: Mapping[str, Any],
    day: Any,
    path: Sequence[object],
    problems: list[Problem],
    kind: str,
) -> dict[str, Any]:
    """Return the values sent at a place, and add what is wrong with them; what was not played needs no values."""
    known = {declared.key for declared in fields}
    values = {key: value for key, value in sent.items() if value is not None or key not in known}
    problems += find_faults(fields, values, day, path)
    if kind not in UNPLAYED:
        problems += find_missing(fields, values, day, path)
    return values


def _drop_values(results: Sequence[NewResult]) -> Sequence[NewResult]:
    return [result if result.fields is None else replace(result, fields=None) for result in results]


def keep_values(league: League, old: Game, new: NewGame, players: Sequence[Player], now: datetime) -> NewGame:
    """Return a correction with the values of its fields: as sent, or, if none was sent, those of the corrected game.

    The values of a seat follow its player.
    """
    if has_values(new):
        return store_values(league, new, now)
    if DECLARED not in old.details and not old.withheld:
        return store_values(league, new, now) if league.has_fields else new
    seats = dict(old.results.values_list("player", "seat"))
    parts = []
    for stored in (old.details.get(DECLARED), old.withheld):
        values = StoredValues.read(stored)
        places = [seats.get(player.pk, 0) - 1 for player in players]
        values.seats = [values.seats[place] if 0 <= place < len(values.seats) else {} for place in places]
        parts.append(values.build())
    details = {key: value for key, value in new.details.items() if key != DECLARED}
    return replace(new, details={**details, DECLARED: parts[0]} if parts[0] else details, withheld=parts[1])
