"""Log entries of competitions.

An entry has the changed rows whole, in lists by table, and the keys of removed rows. So verification needs no rule for
each kind (``league.core.verify.log_replay``).
"""

import secrets
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from league.apps.competitions.models import Competition, Entry, FinalStandings, Fixture, FixtureSeat, Round
from league.apps.competitions.selectors import rows
from league.apps.competitions.selectors.audience import SALT
from league.core.log.services import entries
from league.models import League, LogEntry


def build_entry_rows(competition: Competition, changed: Iterable[Entry]) -> list[rows.Row]:
    """Return the rows of entries, whose players are read if they were not prefetched."""
    return [
        rows.build_entry_row(competition.slug, entry, entry.players.select_related("player"))
        if "players" not in getattr(entry, "_prefetched_objects_cache", {})
        else rows.build_entry_row(competition.slug, entry, entry.players.all())
        for entry in changed
    ]


def build_fixture_rows(competition: Competition, changed: Iterable[Fixture]) -> list[rows.Row]:
    """Return the rows of stored fixtures."""
    fixtures = list(changed)
    seats: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    lines = FixtureSeat.objects.filter(league=competition.league_id, fixture__in=[fixture.pk for fixture in fixtures])
    for fixture_id, entry, points in lines.order_by("seat").values_list("fixture_id", "entry__number", "points"):
        seats[fixture_id].append((entry, points))
    return [
        rows.build_fixture_row(
            competition.slug,
            fixture,
            None if fixture.round is None else fixture.round.number,
            seats[fixture.pk],
            None if fixture.game is None else fixture.game.number,
        )
        for fixture in fixtures
    ]


def append_change(
    league: League,
    now: datetime,
    by: str,
    kind: LogEntry.Kind,
    competition: Competition,
    *,
    settings: bool = False,
    changed_entries: Sequence[rows.Row] = (),
    rounds: Iterable[Round] = (),
    fixtures: Sequence[rows.Row] = (),
    standings: FinalStandings | None = None,
    file: rows.Row | None = None,
    removed: dict[str, list[int]] | None = None,
    reason: str = "",
    members: dict[str, Any] | None = None,
) -> None:
    """Append an entry with the changed rows of a competition; the league must be locked.

    ``removed``: table (entries, rounds, fixtures) -> numbers of the removed rows, which go before changed ones.
    ``members``: further members for readers, such as the game that was played.
    """
    tables: dict[str, Any] = {
        "settings": rows.build_settings_row(competition) if settings else None,
        "entries": list(changed_entries),
        "rounds": [rows.build_round_row(competition.slug, one_round) for one_round in rounds],
        "fixtures": list(fixtures),
        "standings": None if standings is None else rows.build_standings_row(competition.slug, standings),
        "file": file,
        "removed": removed,
        "reason": reason,
    }
    payload = {name: value for name, value in tables.items() if value}
    payload |= {"competition": competition.slug, SALT: secrets.token_hex(16), **(members or {})}
    entries.append(league, now, by, kind, payload)
