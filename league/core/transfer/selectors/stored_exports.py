"""The files of stored exports, and the states of leagues they belong to.

There is one file for each league, form and audience, and a gzipped one. The file name has two digests. The first
covers what may be visible: visibility, names, aliases; when it changes, earlier files are not served. The second covers
the league's whole state; for some minutes, a file of an earlier state may be served, as a league that records
constantly would otherwise never have a current one.
"""

import re
import time
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from django.conf import settings
from django.db.models import Count, Max

from league.core.db.statements import execute_query
from league.core.log.selectors.audience import PublicReader
from league.core.transfer.export_parts import load_export_parts
from league.models import Alias, ExternalId, League, Rating

#: Leagues with fewer games are exported in the request.
MIN_GAMES = 500
#: Seconds for which a file of an earlier state is served, and after which a new one is produced.
MAX_AGE, REFRESH_AGE = 600.0, 300.0
GZIP_SUFFIX = ".gz"
NAME = re.compile(r"(?P<league>[0-9]{1,18})-(?P<form>[a-z]+)-(?P<audience>organisers|readers)-(?P<visible>[0-9a-f]+)-")
STATE = """
SELECT created_at, slug, visibility, (SELECT e.count FROM league_edits e WHERE e.name = 'players'),
       (SELECT COUNT(*) FROM league_logtext t WHERE t.league_id = league_league.id AND t.erased_at IS NOT NULL),
       title, log_sha256, log_length, last_number
  FROM league_league WHERE id = %s
"""
#: Number of STATE's first columns that determine what may be visible.
VISIBLE_COLUMNS = 5


@dataclass(frozen=True)
class ExportKey:
    """Identifies an export: league, form, whether it has aliases (for organisers), and digests of the state."""

    league: int
    form: str
    aliases: bool
    visible: str
    state: str

    @property
    def series(self) -> str:
        """Return the prefix of all files of this league, form and audience."""
        return f"{self.league}-{self.form}-{'organisers' if self.aliases else 'readers'}-"

    @property
    def path(self) -> Path:
        """Return the path of the file of exactly this state."""
        return get_folder() / f"{self.series}{self.visible}-{self.state}.{self.form}"


def get_folder() -> Path:
    """Return the folder of stored exports."""
    return Path(settings.RUNGS_EXPORT_DIR)


def make_export_key(league_id: int, form: str, *, aliases: bool) -> ExportKey:
    """Return the key of an export of a league's current state."""
    row = tuple(execute_query(STATE, [league_id])[0])
    visible, state = row[:VISIBLE_COLUMNS], row[VISIBLE_COLUMNS:]
    if not aliases:
        visible += (PublicReader(League(pk=league_id)).describe_state(),)
    if aliases:
        players = Rating.objects.filter(league=league_id).values("player")
        for model in (Alias, ExternalId):
            rows = model._default_manager.filter(player__in=players)
            visible += tuple(rows.aggregate(Count("pk"), Max("pk")).values())
        for part in load_export_parts():
            state += part.describe_state(league_id)
    return ExportKey(league_id, form, aliases, compute_digest(visible), compute_digest(state))


def compute_digest(values: tuple[object, ...]) -> str:
    """Return a short digest of values."""
    return sha256(repr(values).encode()).hexdigest()[:20]


def find_stored(key: ExportKey, *, allow_earlier: bool) -> Path | None:
    """Return the file of a state, or with ``allow_earlier`` of a recent state; None if there is none."""
    if key.path.exists():
        return key.path
    paths = get_folder().glob(f"{key.series}{key.visible}-*.{key.form}") if allow_earlier else ()
    newest_file = max(((get_age(path), path) for path in paths), default=None, key=lambda item: -item[0])
    return newest_file[1] if newest_file is not None and newest_file[0] < MAX_AGE else None


def get_age(path: Path) -> float:
    """Return the age of a file in seconds; infinity if it does not exist."""
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return float("inf")


def may_be_sent(path: Path) -> bool:
    """Return whether a file contains only data that may still be visible."""
    name = NAME.match(path.name)
    if name is None or not League.objects.filter(pk=int(name["league"])).exists():
        return False
    return (
        make_export_key(int(name["league"]), name["form"], aliases=name["audience"] == "organisers").visible
        == name["visible"]
    )


def needs_export(key: ExportKey, stored: Path | None) -> bool:
    """Return whether a worker must produce a file."""
    return stored is None or (stored != key.path and get_age(stored) > REFRESH_AGE)


def estimate_wait(league: League) -> int:
    """Return the seconds after which a client may retry while an export is being produced."""
    return min(max(league.last_number // 3000, 2), 60)
