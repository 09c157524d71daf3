"""Verification of editions: documents are compared with their hashes, and periods with their last editions."""

import hashlib
import json
from collections.abc import Iterable, Iterator

import rfc8785

from league.core.ladders.selectors.ladders import list_winners
from league.core.ladders.services.periods import compute_standings_digest
from league.core.text.instants import format_instant
from league.core.text.stored_messages import StoredMessage, phrase
from league.models import Edition, League, Period
from league.models.record import EDITION_LOG

#: Members of the document that an edition's columns repeat.
REPEATED_MEMBERS = ("edition", "period", "ladder", "reason", "log_position", "published_at", "starts_at", "ends_at")


def find_edition_problems(edition: Edition) -> Iterator[StoredMessage]:
    """Yield the problems of an edition: its document, hash, winners and columns must agree."""
    name = EDITION_LOG.name(edition.ladder.slug, edition.key, edition.number)
    text = edition.document.encode()
    if hashlib.sha256(text).hexdigest() != (edition.redacted_sha256 or edition.sha256):
        if edition.redacted_sha256:
            yield phrase("{edition} does not match the SHA-256 of its redacted version.", edition=name)
        else:
            yield phrase("{edition} does not match the SHA-256 that it was published with.", edition=name)
        return
    try:
        document = json.loads(text)
        rows = document["standings"]
        stated = tuple(document[key] for key in REPEATED_MEMBERS)
        agrees = compute_standings_digest(rows) == edition.standings_sha256 and list_winners(rows) == edition.winners
    except (ValueError, LookupError, TypeError, AttributeError):
        yield phrase("{edition} is not a valid edition document.", edition=name)
        return
    if rfc8785.dumps(document) != text:
        yield phrase("{edition} is not canonical JSON.", edition=name)
    if not agrees:
        yield phrase("{edition} disagrees with its own ranking.", edition=name)
    times = map(format_instant, (edition.published_at, edition.starts_at, edition.ends_at))
    stored_values = edition.number, edition.key, edition.ladder.slug, edition.reason, edition.log_position
    if stated != (*stored_values, *times):
        yield phrase("{edition} disagrees with its own document.", edition=name)


def find_period_time_problems(league: League, editions: Iterable[Edition]) -> Iterator[StoredMessage]:
    """Yield a message for each period whose times differ from those of its last edition."""
    last: dict[tuple[str, str], Edition] = {}
    for edition in editions:
        latest = last.setdefault((edition.ladder.slug, edition.key), edition)
        last[edition.ladder.slug, edition.key] = max(latest, edition, key=lambda item: item.number)
    periods = Period.objects.filter(league=league).values_list("ladder__slug", "key", "starts_at", "ends_at")
    for slug, key, *times in periods:
        period_edition = last.get((slug, key))
        if period_edition is not None and times != [period_edition.starts_at, period_edition.ends_at]:
            yield phrase(
                "The period {ladder}, {key} has other times than in edition {edition}.",
                ladder=slug,
                key=key,
                edition=period_edition.number,
            )
