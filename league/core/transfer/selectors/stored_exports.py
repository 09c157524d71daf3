"""Exports that workers have stored as files: where they lie, and of which state of a league they are.

There is one file for each league, form and audience, and a packed one next to it. The name of a file has two digests.
The first stands for what may be shown: visibility, names, spellings. When it changes, no earlier file is served again.
The second stands for the whole state of the league's data. A file of an earlier state may be served for some minutes
where producing one takes long: a league that records every second would never have one otherwise.
"""

import re
import time
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from django.conf import settings
from django.db.models import Count, Max

from league.core.capabilities import load_declared
from league.core.db.statements import ask
from league.models import Alias, ExternalId, League, Rating

#: Leagues with fewer games are exported in the request: that takes a moment.
MIN_GAMES = 500
#: Seconds for which a file of an earlier state is served, and after which a new one is produced meanwhile.
MAX_AGE, REFRESH_AGE = 600.0, 300.0
PACKED = ".gz"
NAME = re.compile(r"(?P<league>[0-9]{1,18})-(?P<form>[a-z]+)-(?P<audience>organisers|readers)-(?P<shown>[0-9a-f]+)-")
STATE = """
SELECT created_at, slug, visibility, (SELECT e.count FROM league_edits e WHERE e.name = 'players'),
       (SELECT COUNT(*) FROM league_logtext t WHERE t.league_id = league_league.id AND t.erased_at IS NOT NULL),
       title, log_sha256, log_length, last_number
  FROM league_league WHERE id = %s
"""
#: How many of the columns of STATE say what may be shown.
SHOWN = 5


@dataclass(frozen=True)
class ExportKey:
    """An export of a state: of which league, in which form, and whether organisers read it, who see spellings."""

    league: int
    form: str
    aliases: bool
    shown: str
    state: str

    @property
    def series(self) -> str:
        """Return how the names of the files of this league, form and audience begin, whatever the state."""
        return f"{self.league}-{self.form}-{'organisers' if self.aliases else 'readers'}-"

    @property
    def path(self) -> Path:
        """Return where the file of exactly this state lies."""
        return folder() / f"{self.series}{self.shown}-{self.state}.{self.form}"


def folder() -> Path:
    """Return the folder of the files."""
    return Path(settings.RUNGS_EXPORT_DIR)


def export_key(league_id: int, form: str, *, aliases: bool) -> ExportKey:
    """Return the key of an export of a league as it is now."""
    row = tuple(ask(STATE, [league_id])[0])
    shown, state = row[:SHOWN], row[SHOWN:]
    if aliases:
        players = Rating.objects.filter(league=league_id).values("player")
        for model in (Alias, ExternalId):
            rows = model._default_manager.filter(player__in=players)
            shown += tuple(rows.aggregate(Count("pk"), Max("pk")).values())
        for part in load_declared("export_parts"):
            state += part.describe_state(league_id)
    return ExportKey(league_id, form, aliases, digest(shown), digest(state))


def digest(values: tuple[object, ...]) -> str:
    """Return a short digest of values."""
    return sha256(repr(values).encode()).hexdigest()[:20]


def find_stored(key: ExportKey, *, earlier: bool) -> Path | None:
    """Return the file of a state; with ``earlier`` also one of a state some minutes ago; None when there is none."""
    if key.path.exists():
        return key.path
    found = folder().glob(f"{key.series}{key.shown}-*.{key.form}") if earlier else ()
    newest = max(((age_of(path), path) for path in found), default=None, key=lambda one: -one[0])
    return newest[1] if newest is not None and newest[0] < MAX_AGE else None


def age_of(path: Path) -> float:
    """Return the age of a file in seconds; one that has gone meanwhile is very old."""
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return float("inf")


def may_be_sent(path: Path) -> bool:
    """Return whether a file has only what may be shown now; its name says of which league and for whom it is."""
    name = NAME.match(path.name)
    if name is None or not League.objects.filter(pk=int(name["league"])).exists():
        return False
    return (
        export_key(int(name["league"]), name["form"], aliases=name["audience"] == "organisers").shown == name["shown"]
    )


def needs_export(key: ExportKey, stored: Path | None) -> bool:
    """Return whether a worker is to produce a file."""
    return stored is None or (stored != key.path and age_of(stored) > REFRESH_AGE)


def seconds_to_wait(league: League) -> int:
    """Return in how many seconds a client may ask again for an export that is being produced."""
    return min(max(league.last_number // 3000, 2), 60)
