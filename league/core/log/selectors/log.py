"""The log for readers: public lines in order, heads, and searches."""

import json
from collections.abc import Collection, Iterable, Iterator
from datetime import date, timedelta
from itertools import islice

from django.db.models import QuerySet

from league.core.calendar import ALWAYS, LATEST, start_of_day
from league.core.db.columns import format_moment_column
from league.core.db.statements import execute_query
from league.core.log.chain import FIRST, build_public_line
from league.core.log.selectors.audience import PublicReader
from league.core.log.selectors.log_decode import build_public_members, open_payloads
from league.core.text.instants import format_instant
from league.models import Head, League, LogEntry

COLUMNS = ("position", "at", "by", "kind", "payload", "sha256")
CHUNK = 2000
#: The number of edits of players, and of erased texts of some entries.
ERASURES_QUERY = """
SELECT (SELECT e.count FROM league_edits e WHERE e.name = 'players'),
       (SELECT COUNT(*) FROM league_logtext t
         WHERE t.league_id = %s AND t.position > %s AND t.position <= %s AND t.erased_at IS NOT NULL)
"""
#: Maximum number of recent entries whose authors can be searched for.
MAX_SEARCHED_ENTRIES = 5000


def log_lines(
    league: League, after_position: int, until: int, reader: PublicReader | None, *, withheld: bool = False
) -> Iterator[str]:
    """Yield the lines of the entries after one position up to another, in chunks; all of them without ``reader``.

    ``withheld``: with all values of declared fields. The entry at ``after_position`` is read too, as the first line
    contains its hash.
    """
    previous = FIRST
    entries = league.log.filter(position__gte=after_position, position__lte=until).order_by("position")
    rows = entries.values_list(*COLUMNS).iterator(chunk_size=CHUNK)
    while batch := list(islice(rows, CHUNK)):
        opened = open_payloads(league, [payload for *_, payload, _sha256 in batch], withheld=withheld)
        for (position, time, author, kind, _payload, sha256), entry in zip(batch, opened, strict=True):
            if position > after_position:
                shown = entry if reader is None else reader.hide_content(time, kind, entry)
                yield build_public_line(
                    (position, format_instant(time), author, kind), build_public_members(shown), previous, sha256
                )
            previous = sha256


def iter_raw_entries(league: League) -> Iterator[tuple[int, str, str, str, str, str]]:
    """Yield the entries in order, in chunks, with times as formatted in the log."""
    names = [format_moment_column(name) if name == "at" else name for name in COLUMNS]
    rows: Iterator[tuple[int, str, str, str, str, str]] = (
        league.log.order_by("position").values_list(*names).iterator(chunk_size=CHUNK)
    )
    return rows


def hash_at(league: League, position: int) -> str:
    """Return the hash of the entry at a position; for the last one, as stored in the league."""
    if position == 0:
        return FIRST
    if position == league.log_length:
        return league.log_sha256
    return league.log.values_list("sha256", flat=True).get(position=position)


def tag_of_lines(
    league: League, after_position: int, until: int, reader: PublicReader | None, *, withheld: bool = False
) -> str:
    """Return an ETag for lines of a log, from the chain, the replaceable data (handles, texts) and what is hidden."""
    tag = f"{after_position}-{until}-{hash_at(league, until)[:32]}"
    if after_position == until:
        return tag
    [(edits, erased)] = execute_query(ERASURES_QUERY, [league.pk, after_position, until])
    state = ("-all" if withheld else "") if reader is None else f"-{reader.describe_state()}"
    return f"{tag}-{edits or 0}-{erased}{state}"


def load_log_lengths(leagues: Iterable[int]) -> dict[int, int]:
    """Return primary key of a league -> number of entries of its log; leagues that are gone are missing."""
    return dict(League.objects.filter(pk__in=leagues).values_list("pk", "log_length"))


def find_heads(league: League, before_position: int | None = None) -> QuerySet[Head]:
    """Return the published heads of a log, newest first; ``before_position``: the last one of the previous page."""
    heads = league.heads.order_by("-position")
    return heads if before_position is None else heads.filter(position__lt=before_position)


def find_newest_head(league: League) -> Head | None:
    """Return the last published head of a league."""
    return find_heads(league).first()


Named = tuple[str, str, int]
"""An edition: the slug of its ladder, the key of its period and its number."""


def load_edition_positions(league: League) -> dict[Named, int]:
    """Return edition -> position of its log entry."""
    told_of = league.log.filter(kind=LogEntry.Kind.EDITION_PUBLISHED).values_list("position", "payload")
    return {
        _parse_edition(payload): position
        for position, payload in told_of.order_by("position").iterator(chunk_size=CHUNK)
    }


def _parse_edition(payload: str) -> Named:
    """Return the edition of an entry."""
    values = json.loads(payload)
    return values["ladder"], values["period"], values["edition"]


def load_author_names(league: League) -> list[str]:
    """Return the authors of the newest entries, sorted; other members are not visible to readers of the log."""
    newest_entries = LogEntry.objects.filter(league=league, position__gt=league.log_length - MAX_SEARCHED_ENTRIES)
    return sorted(
        {name for name in newest_entries.order_by().values_list("by", flat=True).distinct() if name}, key=str.casefold
    )


def find_entry(league: League, position: int) -> LogEntry | None:
    """Return the entry at a position, None if there is none."""
    return LogEntry.objects.filter(league=league, position=position).first() if position < 2**63 else None


def find_entries(
    league: League,
    *,
    author: str | None = None,
    kinds: Collection[str] | None = None,
    day: date | None = None,
    before_position: int | None = None,
    max_entries: int,
) -> list[LogEntry]:
    """Return the newest entries, optionally by author ("": none), kinds, and day in the league's time zone."""
    rows = LogEntry.objects.filter(league=league).order_by("-position")
    if author is not None:
        rows = rows.filter(by=author)
    if kinds is not None:
        rows = rows.filter(kind__in=kinds)
    if day is not None and ALWAYS <= day < LATEST:
        begin, end = (start_of_day(each_day, league.time_zone) for each_day in (day, day + timedelta(days=1)))
        rows = rows.filter(at__gte=begin, at__lt=end)
    if before_position is not None:
        rows = rows.filter(position__lt=before_position)
    return list(rows[:max_entries])
