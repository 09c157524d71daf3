"""Payloads of log entries for each kind of change, as JSON; readable by everyone who may see the league.

Players have opaque handles, as the log can never be edited and handles are derived from names.
Free texts are plain here and sealed when written (``write``).
"""

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from league.core.log.chain import instant
from league.core.log.services.seals import seal_of_link, seal_of_report
from league.models.declared import RESULT, SETTINGS, SHEET, said_by, unusual

Line = tuple[Any, ...]
"""The fields LINE of a result, with opaque handles."""
GAME = ("number", *SHEET)
LINE = ("player", *RESULT, "recorded_as")
GAME_VALUES = attrgetter(*GAME)


def of_league(league: Any) -> dict[str, Any]:
    """Return the payload of a new league."""
    return unusual((name, getattr(league, name)) for name in ("slug", *SETTINGS))


def of_settings(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that have changed."""
    return {name: value for name, value in after.items() if before[name] != value}


def of_rule(rule: Any) -> dict[str, Any]:
    """Return the payload of a league's rule."""
    said = {"from": rule.from_date.isoformat(), "system": rule.system, "parameters": rule.parameters}
    said |= {"season": rule.season} if rule.season else {}
    return said if rule.start == rule.Start.REPLAYED else {**said, "start": rule.start}


def of_withdrawal(rule: Any) -> dict[str, Any]:
    """Return the payload of a rule withdrawn before it was in force."""
    return {"from": rule.from_date.isoformat()}


def of_start(player: str, rating: float) -> dict[str, Any]:
    """Return the payload of an initial rating."""
    return {"player": player, "rating": rating}


def of_adjustment(adjustment: Any) -> dict[str, Any]:
    """Return the payload of an adjustment."""
    return {
        "number": adjustment.number,
        "player": adjustment.player.opaque,
        "since": instant(adjustment.at),
        "amount": adjustment.amount,
        "reason": adjustment.reason,
    }


def of_adjustment_void(adjustment: Any) -> dict[str, Any]:
    """Return the payload of a voided adjustment."""
    return {
        "number": adjustment.number,
        "player": adjustment.player.opaque,
        "since": instant(adjustment.at),
        "reason": adjustment.void_reason,
    }


def of_player(player: str, given: Sequence[str], active: bool | None = None) -> dict[str, Any]:
    """Return the payload of a changed player: only field names and the activity in this league, as values are names."""
    payload: dict[str, Any] = {"player": player, "given": sorted(given)}
    return payload if active is None else {**payload, "active": active}


def of_merge(player: str, into: str) -> dict[str, Any]:
    """Return the payload of a merge, or of undoing one: facts of ``player`` in this league count for ``into``."""
    return {"player": player, "into": into}


def of_ladder(ladder: Any) -> dict[str, Any]:
    """Return the payload of a ladder without its rules."""
    ended = ladder.ended_on and ladder.ended_on.isoformat()
    return {"ladder": ladder.slug, "title": ladder.title, "ended_on": ended}


def of_ladder_rule(slug: str, rule: Any) -> dict[str, Any]:
    """Return the payload of a ladder's rule."""
    return {
        "ladder": slug,
        "from": rule.from_date.isoformat(),
        "to": rule.to_date and rule.to_date.isoformat(),
        "method": rule.method,
        "cadence": rule.cadence,
        "parameters": rule.parameters,
    }


def of_game(game: Any, lines: Iterable[Line]) -> dict[str, Any]:
    """Return the payload of a recorded game; ``lines`` are its results in seat order."""
    payload = unusual(zip(GAME, GAME_VALUES(game), strict=True))
    payload["played_at"] = instant(game.played_at)
    payload["results"] = [unusual(zip(LINE, line, strict=True)) for line in lines]
    return payload


def lines_of(results: Iterable[Any]) -> list[Line]:
    """Return results as lines of a payload."""
    return [(line.player.opaque, *said_by(line), line.recorded_as and line.recorded_as.opaque) for line in results]


def of_void(game: Any) -> dict[str, Any]:
    """Return the payload of a voided game."""
    return {"number": game.number, "reason": game.void_reason}


def of_correction(old: Any, game: Any, lines: Iterable[Line]) -> dict[str, Any]:
    """Return the payload of a corrected game."""
    return {**of_void(old), "game": of_game(game, lines)}


def of_restoration(old: Any, reason: str, voided: int | None, game: Any, lines: Iterable[Line]) -> dict[str, Any]:
    """Return the payload of a restored game; ``voided``: the number of the game voided for it, if any."""
    return {"number": old.number, "reason": reason, "voided": voided, "game": of_game(game, lines)}


def of_exchange(first: int, second: int) -> dict[str, Any]:
    """Return the payload of two games, with all versions, that exchanged their order keys."""
    return {"games": [first, second]}


def of_edition(slug: str, edition: Any) -> dict[str, Any]:
    """Return the payload of an edition."""
    return {
        "ladder": slug,
        "period": edition.key,
        "edition": edition.number,
        "reason": edition.reason,
        "sha256": edition.sha256,
    }


def of_head(head: Any) -> dict[str, Any]:
    """Return the payload of a published head."""
    names = ("position", "sha256", "key", "signature")
    return {"at": instant(head.at), **{name: getattr(head, name) for name in names}}


def of_decision(slug: str, decision: Any) -> dict[str, Any]:
    """Return the payload of a reopened or carried period; a carried one includes the digest of its ranking."""
    payload = {"ladder": slug, "period": decision.key, "edition": decision.edition, "reason": decision.reason}
    return {**payload, "digest": decision.digest} if decision.digest else payload


def of_link(link: Any) -> dict[str, Any]:
    """Return the payload of a report link: its id and a seal of the row."""
    return {"link": str(link.pk), "seal": seal_of_link(link)}


def of_revocation(link: Any) -> dict[str, Any]:
    """Return the payload of a revoked link."""
    return {"link": str(link.pk)}


def of_report(report: Any) -> dict[str, Any]:
    """Return the payload of a report's current state, with its game and a seal but without names."""
    payload = {"report": str(report.pk), "seal": seal_of_report(report)}
    return payload if report.game is None else {**payload, "game": report.game.number}
