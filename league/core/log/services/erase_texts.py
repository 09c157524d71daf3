"""Erases free texts of a league's log, and the copies in facts. The chain does not change."""

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from league.core.capabilities import load_declared
from league.core.errors import Conflict, NotFound
from league.core.locking import locked
from league.core.log.chain import METADATA, WITHHELD, is_sealed
from league.core.log.services import entries
from league.core.log.services.erase_values import erase_game_rows, erase_player_values
from league.models import Game, League, LogEntry, LogText
from league.models.facts import ADJUSTMENT_LOG, ADJUSTMENT_VOID_LOG, GAME_VOID_LOG
from league.models.record import DECISION_LOG

Kind = LogEntry.Kind
#: The tables with the reasons of entries. The reason of an edition is part of what was published.
REASONS = (ADJUSTMENT_LOG, ADJUSTMENT_VOID_LOG, GAME_VOID_LOG, DECISION_LOG)
#: The kinds of entries that record settings of the league.
SETTING = (Kind.LEAGUE_CREATED, Kind.LEAGUE_CHANGED)


@locked
def erase_text(league: League, now: datetime, position: int, *, username: str) -> None:
    """Erase the texts of a log entry: reason, note and metadata.

    Raises NotFound if there is no such entry, Conflict if it has no text (any more), or if it is the reason of an
    edition, which is part of a published document.
    """
    entry = league.log.filter(position=position).first()
    if entry is None:
        raise NotFound(_("The log has no entry {position}.").format(position=position))
    if entry.kind == Kind.EDITION_PUBLISHED:
        raise Conflict(
            _(
                "The reason of an edition is part of what was published; it can be erased only with "
                "a player's personal data."
            )
        )
    if not LogText.objects.filter(league=league, position=position, erased_at=None).exists():
        raise Conflict(_("Entry {position} contains no text.").format(position=position))
    erase_texts(league, [entry], now, username)


def erase_texts(league: League, erased: Iterable[LogEntry], now: datetime, username: str) -> None:
    """Erase the texts of entries and log it; the league must be locked.

    Reasons in editions are left; the caller must redact the editions.
    """
    for entry in erased:
        clear_facts(league, entry, json.loads(entry.payload), now, username)
        LogText.objects.filter(league=league, position=entry.position).update(salt="", text="", erased_at=now)
        entries.append(league, now, username, Kind.TEXT_ERASED, {"position": entry.position})


def clear_facts(league: League, entry: LogEntry, opened: dict[str, Any], now: datetime, username: str) -> None:
    """Empty the notes, reasons, metadata and values of fields of the facts of an entry."""
    for eraser in load_declared(lambda app: app.data.eraser):
        eraser.erase_reason(league, entry, opened, now, username)
    games = Game.objects.filter(league=league)
    brought = opened if entry.kind == Kind.GAME_RECORDED else opened.get("game", {})
    if isinstance(brought, dict):
        texts: dict[str, Any] = {"note": "", METADATA: {}, WITHHELD: {}}
        empty = {name: value for name, value in texts.items() if is_sealed(brought.get(name))}
        if empty:
            games.filter(number=brought["number"]).update(**empty)
        if WITHHELD in empty:
            erase_game_rows(league, brought["number"])
    if entry.kind == Kind.PLAYER_FIELDS_SET:
        erase_player_values(league, entry, opened["player"])
    if entry.kind in SETTING and is_sealed(opened.get(METADATA)):
        # A later entry may have set it.
        later = league.log.filter(position__gt=entry.position, kind=Kind.LEAGUE_CHANGED)
        if not any(METADATA in json.loads(payload) for payload in later.values_list("payload", flat=True)):
            league.metadata = {}
            league.save(update_fields=[METADATA])
    if not is_sealed(opened.get("reason")):
        return
    voided = {"number": opened["voided"]} if entry.kind == Kind.GAME_RESTORED else {}
    for table in REASONS:
        if entry.kind in table.kinds:
            rows = table.find_rows(league, {**opened, **voided, "at": entry.at})
            rows.update(**{table.payload["reason"].path[0]: ""})
