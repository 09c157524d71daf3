"""``verify``: everything derived, computed anew and compared bit for bit; editions against their hashes.

The whole replay runs inside a transaction that is taken back: nothing is written, whatever is found.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import rfc8785
from django.db.models import Model

from league.errors import UnknownZone
from league.models import Edition, League, Period, Player, Rating, RatingChange, Standing
from league.selectors.standings import winners_of
from league.services.books import with_books
from league.services.editions import instant
from league.services.periods import standings_digest
from league.services.replay import replay_from

#: Most differences that are told of one table; the rest is counted.
TOLD = 20
#: What an edition's columns repeat of its document.
TOLD_TWICE = ("edition", "period", "ladder", "log_position", "reason", "published_at", "starts_at", "ends_at")
Rows = Mapping[tuple[Any, ...], tuple[Any, ...]]


@dataclass(frozen=True)
class Verdict:
    """What was compared, and every difference as a sentence; none: the books are right."""

    games: int
    rows: int
    editions: int
    differences: list[str]


class TakenBack(Exception):
    """Carries the verdict out of the transaction that it ends."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__("taken back")
        self.verdict = verdict


def verify_league(league_id: int) -> Verdict:
    """Compare everything derived of a league with a replay from nothing; writes nothing."""

    def work(league: League, now: datetime) -> None:
        found: list[str] = []
        stored = derived_rows(league)
        waits = league.stale_from is not None
        games = replay_from(league, None, compiled=True)
        computed = derived_rows(league)
        if waits:
            found.append("A replay is on its way: the differences below may be its work.")
        for table, rows in stored.items():
            found += compare(table, rows, computed[table])
        editions = Edition.objects.filter(ladder__league=league).select_related("ladder")
        for edition in editions.iterator(chunk_size=100):
            found += edition_problems(edition)
        found += series_problems(league, editions.defer("document"))
        raise TakenBack(Verdict(games, sum(map(len, stored.values())), editions.count(), found))

    try:
        with_books(league_id, work)
    except TakenBack as told:
        return told.verdict
    except UnknownZone as error:
        return Verdict(0, 0, 0, [error.detail])
    raise AssertionError("with_books lets every exception out")


def derived_rows(league: League) -> dict[str, Rows]:
    """Return every derived row of a league by table and by what names it; no two rows have one name."""
    changes = RatingChange.objects.filter(league=league)
    ratings = Rating.objects.filter(league=league)
    periods = Period.objects.filter(ladder__league=league)
    standings = Standing.objects.filter(period__ladder__league=league)
    return {
        "rating change": keyed(changes, ("number", "seat", "step", "player", "games")),
        "rating": keyed(ratings, ("player",)),
        "period": keyed(periods, ("ladder__slug", "key")),
        "standing": keyed(standings, ("period__ladder__slug", "period__key", "player"), ("period",)),
    }


def keyed(rows: Any, names: tuple[str, ...], left_out: tuple[str, ...] = ()) -> Rows:
    """Return rows by their names, players by their handles; the database's own keys are left out.

    Handles are not joined: no foreign key keeps a derived row from naming a player who is not there.
    """
    model: type[Model] = rows.model
    handles = dict(Player.objects.values_list("pk", "handle")) if "player" in names else {}
    fields = [field.name for field in model._meta.concrete_fields if field.name not in ("id", *left_out, *names)]
    width = len(names)
    found = {}
    for row in rows.values_list(*names, *fields).iterator():
        named = zip(names, row[:width], strict=True)
        key = tuple(handles.get(value, f"nobody ({value})") if name == "player" else value for name, value in named)
        found[key] = row[width:]
    return found


def compare(table: str, stored: Rows, computed: Rows) -> Iterator[str]:
    """Yield a sentence for every row that differs, the first ones only."""
    keys = [key for key in {**stored, **computed} if stored.get(key) != computed.get(key)]
    for key in keys[:TOLD]:
        name = f"{table} {', '.join(map(str, key))}"
        if key not in stored:
            yield f"The {name} is missing."
        elif key not in computed:
            yield f"The {name} must not be there."
        else:
            yield f"The {name} says {stored[key]}; it must say {computed[key]}."
    if len(keys) > TOLD:
        yield f"{len(keys) - TOLD} more differences of {table}s."


def edition_problems(edition: Edition) -> Iterator[str]:
    """Yield what is wrong with an edition: its document, hash, winners and numbers must agree."""
    name = name_of(edition.ladder.slug, edition.key, edition.number)
    text = edition.document.encode()
    if hashlib.sha256(text).hexdigest() != edition.sha256:
        yield f"{name} does not have the SHA-256 that it was published with."
        return
    try:
        document = json.loads(text)
        rows = document["standings"]
        told = tuple(document[key] for key in TOLD_TWICE)
        agrees = standings_digest(rows) == edition.standings_sha256 and winners_of(rows) == edition.winners
    except (ValueError, LookupError, TypeError, AttributeError):
        yield f"{name} is not the JSON of an edition."
        return
    if rfc8785.dumps(document) != text:
        yield f"{name} is not canonical JSON."
    if not agrees:
        yield f"{name} disagrees with its own ranking."
    times = map(instant, (edition.published_at, edition.starts_at, edition.ends_at))
    if told != (edition.number, edition.key, edition.ladder.slug, edition.log_position, edition.reason, *times):
        yield f"{name} disagrees with its own document."


def series_problems(league: League, editions: Iterable[Edition]) -> Iterator[str]:
    """Yield what is wrong among the editions of a period: numbers that are missing, other times than the period's."""
    series: dict[tuple[str, str], list[Edition]] = {}
    for edition in editions:
        series.setdefault((edition.ladder.slug, edition.key), []).append(edition)
    periods = Period.objects.filter(ladder__league=league).values_list("ladder__slug", "key", "starts_at", "ends_at")
    times = {(slug, key): (starts_at, ends_at) for slug, key, starts_at, ends_at in periods}
    for (slug, key), published in series.items():
        there = {edition.number for edition in published}
        for number in sorted(set(range(1, max(there))) - there):
            yield f"{name_of(slug, key, number)} is missing."
        last = max(published, key=lambda edition: edition.number)
        if times.get((slug, key)) not in (None, (last.starts_at, last.ends_at)):
            yield f"The period {slug}, {key} runs at other times than edition {last.number} says."


def name_of(slug: str, key: str, number: int) -> str:
    """Return how a sentence names an edition."""
    return f"Edition {number} of {slug} {key}"
