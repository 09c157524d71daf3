"""Log entries of seasons: the changed rows whole, in lists by table, as those of competitions."""

import secrets
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import Season, SeasonEdition, SeasonEntry, SeasonPart
from league.apps.competitions.season_records import PART_LOG, SEASON_EDITION_LOG, SEASON_ENTRY_LOG, SEASON_LOG
from league.apps.competitions.selectors.audience import SALT
from league.core.log.services import entries
from league.models import League


def append_season_change(
    league: League,
    now: datetime,
    by: str,
    kind: ChangeKind,
    season: Season,
    *,
    settings: bool = False,
    changed_entries: Iterable[SeasonEntry] = (),
    parts: Iterable[SeasonPart] = (),
    edition: SeasonEdition | None = None,
    removed: dict[str, list[str]] | None = None,
    members: dict[str, Any] | None = None,
) -> None:
    """Append an entry with the changed rows of a season; the league must be locked.

    ``removed``: table (season_parts) -> the keys of removed rows. ``members``: further members for
    readers, such as the reason; empty ones are left out.
    """
    tables: dict[str, Any] = {
        "season_settings": SEASON_LOG.build_payload(season) if settings else None,
        "season_entries": SEASON_ENTRY_LOG.build_payloads(changed_entries, season=season.slug),
        "season_parts": PART_LOG.build_payloads(parts, season=season.slug),
        "season_edition": None if edition is None else SEASON_EDITION_LOG.build_payload(edition, season=season.slug),
        "removed": removed,
        **(members or {}),
    }
    payload = {name: value for name, value in tables.items() if value}
    entries.append(league, now, by, kind, {**payload, "season": season.slug, SALT: secrets.token_hex(16)})
