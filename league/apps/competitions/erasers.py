"""Erasing personal data from competitions: names of sides, facts for categories, and reasons of final standings.

Entries stay with the erased player. The documents of final standings contain no names.
"""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.utils.translation import ngettext

from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import (
    FORBIDDEN,
    Competition,
    Entry,
    EntryPlayer,
    FinalStandings,
    Season,
    SeasonEntry,
    SourceFile,
)
from league.apps.competitions.records import ENTRY_LOG, ENTRY_RECORD, build_file_row
from league.apps.competitions.season_records import SEASON_ENTRY_RECORD
from league.apps.competitions.services.log_rows import append_change
from league.core.log.chain import METADATA, is_sealed
from league.core.log.services.erase_texts import erase_texts
from league.core.players.erasers import Eraser, ErasureRun, StoredCount
from league.core.players.name_redaction import NameWords
from league.core.text.display_formats import format_number
from league.models import League, LogEntry, LogText, Player

#: What a person is shown of an entry: all but whom it names.
DESCRIBED = [name for name in ENTRY_RECORD.names if name not in {"players", "entered_by", *FORBIDDEN}]
#: What the kinds of log entries with rows of entries begin with.
KINDS_WITH_ENTRIES = ("competition.", "entry.")


class CompetitionEraser(Eraser):
    """The entries of players, and the names of sides that contain theirs."""

    @staticmethod
    def leagues_naming(people: Sequence[Player]) -> Q:
        """Return the condition for leagues in whose competitions the players are."""
        entered = (model.objects.filter(player__in=people).order_by() for model in (EntryPlayer, SeasonEntry))
        competitions, seasons = (rows.values("league") for rows in entered)
        return Q(pk__in=competitions) | Q(pk__in=seasons)

    @staticmethod
    def count_stored(people: Sequence[Player]) -> list[StoredCount]:
        """Return the number of entries of the players, which stay under their new name."""
        count = EntryPlayer.objects.filter(player__in=people).count()
        template = ngettext("%(shown)s entry in a competition", "%(shown)s entries in competitions", count)
        seasons = SeasonEntry.objects.filter(player__in=people).count()
        of_seasons = ngettext("%(shown)s entry in a season", "%(shown)s entries in seasons", seasons)
        return [
            StoredCount(count, "competition", template % {"shown": format_number(count)}),
            StoredCount(seasons, "season", of_seasons % {"shown": format_number(seasons)}),
        ]

    @staticmethod
    def describe_league(league: League, people: Sequence[Player], words: NameWords) -> dict[str, Any]:
        """Return the entries of the players in a league."""
        lines = EntryPlayer.objects.filter(league=league, player__in=people).select_related("entry", "competition")
        return {
            "competitions": [
                {
                    "competition": line.competition.slug,
                    "title": line.competition.title,
                    **ENTRY_RECORD.serialize(line.entry, DESCRIBED),
                }
                for line in lines.order_by("entry__entered_at", "pk")
            ],
            "seasons": [
                {
                    "season": entry.season.slug,
                    "title": entry.season.title,
                    **SEASON_ENTRY_RECORD.serialize(entry, ("entry", "rating", "status", "level", "entered_at")),
                }
                for entry in SeasonEntry.objects.filter(league=league, player__in=people)
                .select_related("season")
                .order_by("entered_at", "pk")
            ],
        }

    @staticmethod
    def redact_facts(erasure: ErasureRun, league: League) -> None:
        """Redact names of sides that contain a person's name, and log the entries again; delete files with them."""
        people = EntryPlayer.objects.filter(league=league, player__in=erasure.people)
        files = SourceFile.objects.filter(league=league, competition__in=people.values("competition"))
        for file in files.select_related("competition").order_by("pk"):
            row, kind = build_file_row(file.competition.slug, None), ChangeKind.COMPETITION_CHANGED
            append_change(league, erasure.now, erasure.by, kind, file.competition, file=row)
        files.delete()
        _erase_facts(erasure, league)
        entries = Entry.objects.filter(league=league).exclude(name="").select_related("competition").order_by("pk")
        named = [entry for entry in entries if erasure.words.written.name_in(entry.name)]
        for entry in named:
            entry.name = erasure.words.written.of(entry.name)
            entry.save(update_fields=["name"])
            _log_entries(league, erasure.now, erasure.by, entry.competition, [entry])
            erasure.count("entries")

    @staticmethod
    def erase_reason(league: League, entry: LogEntry, payload: dict[str, Any], now: datetime, by: str) -> None:
        """Erase the reason of final standings; log entries whose names of sides are in no later log entry again."""
        if entry.kind.startswith("season."):
            _erase_season_reasons(league, payload)
        if not entry.kind.startswith(KINDS_WITH_ENTRIES):
            return
        competition = Competition.objects.get(league=league, slug=payload["competition"])
        if is_sealed(payload.get("standings", {}).get("reason")):
            number = payload["standings"]["edition"]
            editions = FinalStandings.objects.filter(league=league, competition=competition, number=number)
            editions.update(reason="")
        numbers = {row["entry"] for row in payload.get("entries", ()) if is_sealed(row["side_name"]) or METADATA in row}
        numbers -= _list_later_entries(league, entry, competition.slug)
        rows = Entry.objects.filter(league=league, competition=competition, number__in=numbers)
        if numbers:
            _log_entries(league, now, by, competition, list(rows.order_by("number")))


def _erase_facts(erasure: ErasureRun, league: League) -> None:
    """Erase what is known of the people for categories, from their entries and from the log."""
    lines = EntryPlayer.objects.filter(league=league, player__in=erasure.people)
    own = set(lines.values_list("competition__slug", "entry__number"))
    known = Entry.objects.filter(league=league, pk__in=lines.values("entry")).exclude(about={})
    for entry in known.select_related("competition").order_by("pk"):
        entry.about = {}
        entry.save(update_fields=["about"])
        _log_entries(league, erasure.now, erasure.by, entry.competition, [entry])
    kinds = Q()
    for kind in KINDS_WITH_ENTRIES:
        kinds |= Q(kind__startswith=kind)
    told = []
    for logged in league.log.filter(kinds, payload__contains=f'"{METADATA}"').order_by("position").iterator():
        payload = json.loads(logged.payload)
        rows = [row["entry"] for row in payload.get("entries", ()) if METADATA in row]
        if any((payload["competition"], number) in own for number in rows):
            told.append(logged)
    texts = LogText.objects.filter(league=league, erased_at=None, position__in=[one.position for one in told])
    left = set(texts.values_list("position", flat=True))
    erase_texts(league, [one for one in told if one.position in left], erasure.now, erasure.by)


def _erase_season_reasons(league: League, payload: dict[str, Any]) -> None:
    """Erase the reasons of an edition and of moves by hand, if an entry of the log has lost them."""
    season = Season.objects.get(league=league, slug=payload["season"])
    edition = payload.get("season_edition", {})
    if is_sealed(edition.get("reason")):
        season.editions.filter(number=edition["edition"]).update(reason="")
    numbers = [row["entry"] for row in payload.get("season_entries", ()) if is_sealed(row["reason"])]
    season.entries.filter(number__in=numbers).update(reason="")


def _list_later_entries(league: League, entry: LogEntry, slug: str) -> set[int]:
    """Return the numbers of the entries that later log entries have."""
    kinds = Q()
    for kind in KINDS_WITH_ENTRIES:
        kinds |= Q(kind__startswith=kind)
    later = league.log.filter(kinds, position__gt=entry.position).values_list("payload", flat=True)
    payloads = [payload for payload in map(json.loads, later.iterator()) if payload.get("competition") == slug]
    changed = {row["entry"] for payload in payloads for row in payload.get("entries", ())}
    return changed | {number for payload in payloads for number in payload.get("removed", {}).get("entries", ())}


def _log_entries(league: League, now: datetime, by: str, competition: Competition, changed: Sequence[Entry]) -> None:
    rows = ENTRY_LOG.build_payloads(changed, competition=competition.slug)
    append_change(league, now, by, ChangeKind.ENTRY_CHANGED, competition, changed_entries=rows)
