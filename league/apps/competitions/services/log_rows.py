"""Log entries of competitions.

An entry has the changed rows whole, in lists by table, and the keys of removed rows. So verification needs no rule for
each kind (``league.core.verify.log_replay``).
"""

import secrets
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import Competition, FinalStandings, Round
from league.apps.competitions.records import COMPETITION_LOG, ROUND_LOG, STANDINGS_LOG
from league.apps.competitions.selectors.audience import SALT
from league.core.log.services import entries
from league.core.records import Values
from league.models import League


def append_change(
    league: League,
    now: datetime,
    by: str,
    kind: ChangeKind,
    competition: Competition,
    *,
    settings: bool = False,
    changed_entries: Sequence[Values] = (),
    rounds: Iterable[Round] = (),
    fixtures: Sequence[Values] = (),
    standings: FinalStandings | None = None,
    file: Values | None = None,
    removed: dict[str, list[int]] | None = None,
    reason: str = "",
    members: dict[str, Any] | None = None,
) -> None:
    """Append an entry with the changed rows of a competition; the league must be locked.

    ``removed``: table (entries, rounds, fixtures) -> numbers of the removed rows, which go before changed ones.
    ``members``: further members for readers, such as the game that was played.
    """
    slug = competition.slug
    tables: dict[str, Any] = {
        "settings": COMPETITION_LOG.build_payload(competition) if settings else None,
        "entries": list(changed_entries),
        "rounds": [ROUND_LOG.build_payload(one_round, competition=slug) for one_round in rounds],
        "fixtures": list(fixtures),
        "standings": None if standings is None else STANDINGS_LOG.build_payload(standings, competition=slug),
        "file": file,
        "removed": removed,
        "reason": reason,
    }
    payload = {name: value for name, value in tables.items() if value}
    payload |= {"competition": slug, SALT: secrets.token_hex(16), **(members or {})}
    entries.append(league, now, by, kind, payload)
