"""Editions under ``verify``: documents against their hashes, and the editions of a period among each other."""

import hashlib
import json
from collections.abc import Iterable, Iterator

import rfc8785

from league.chain import instant
from league.models import Edition, League, Period
from league.said import Said, phrase
from league.selectors.ladders.standings import winners_of
from league.selectors.log import edition_positions
from league.services.ladders.closure import standings_digest
from league.services.verify.games import UNREADABLE
from league.services.verify.names import edition_name

#: What an edition's columns repeat of its document.
STATED_TWICE = ("edition", "period", "ladder", "reason", "log_position", "published_at", "starts_at", "ends_at")


def edition_problems(edition: Edition) -> Iterator[Said]:
    """Yield what is wrong with an edition: its document, hash, winners and numbers must agree."""
    name = edition_name(edition.ladder.slug, edition.key, edition.number)
    text = edition.document.encode()
    if hashlib.sha256(text).hexdigest() != (edition.redacted_sha256 or edition.sha256):
        if edition.redacted_sha256:
            yield phrase("{edition} does not have the SHA-256 that it was redacted with.", edition=name)
        else:
            yield phrase("{edition} does not have the SHA-256 that it was published with.", edition=name)
        return
    try:
        document = json.loads(text)
        rows = document["standings"]
        stated = tuple(document[key] for key in STATED_TWICE)
        agrees = standings_digest(rows) == edition.standings_sha256 and winners_of(rows) == edition.winners
    except (ValueError, LookupError, TypeError, AttributeError):
        yield phrase("{edition} is not the JSON of an edition.", edition=name)
        return
    if rfc8785.dumps(document) != text:
        yield phrase("{edition} is not canonical JSON.", edition=name)
    if not agrees:
        yield phrase("{edition} disagrees with its own ranking.", edition=name)
    times = map(instant, (edition.published_at, edition.starts_at, edition.ends_at))
    said = edition.number, edition.key, edition.ladder.slug, edition.reason, edition.log_position
    if stated != (*said, *times):
        yield phrase("{edition} disagrees with its own document.", edition=name)


def position_problems(league: League, editions: Iterable[Edition]) -> Iterator[Said]:
    """Yield the editions that the log does not tell of, or tells of at another position than they say."""
    try:
        positions = edition_positions(league)
    except UNREADABLE:
        yield phrase("Entries of the log that publish editions do not say which ones.")
        return
    for edition in editions:
        name = edition_name(edition.ladder.slug, edition.key, edition.number)
        position = positions.get((edition.ladder.slug, edition.key, edition.number))
        if position is None:
            yield phrase("{edition} is told by no entry of the log.", edition=name)
        elif position != edition.log_position:
            yield phrase(
                "{edition} is told by entry {position} of the log, not by {other}.",
                edition=name,
                position=position,
                other=edition.log_position,
            )


def series_problems(league: League, editions: Iterable[Edition]) -> Iterator[Said]:
    """Yield what is wrong among the editions of a period: numbers that are missing, other times than the period's."""
    series: dict[tuple[str, str], list[Edition]] = {}
    for edition in editions:
        series.setdefault((edition.ladder.slug, edition.key), []).append(edition)
    periods = Period.objects.filter(ladder__league=league).values_list("ladder__slug", "key", "starts_at", "ends_at")
    times = {(slug, key): (starts_at, ends_at) for slug, key, starts_at, ends_at in periods}
    for (slug, key), published in series.items():
        there = {edition.number for edition in published}
        for number in sorted(set(range(1, max(there))) - there):
            yield phrase("{fact} is missing.", fact=edition_name(slug, key, number))
        last = max(published, key=lambda edition: edition.number)
        if times.get((slug, key)) not in (None, (last.starts_at, last.ends_at)):
            yield phrase(
                "The period {ladder}, {key} runs at other times than edition {edition} says.",
                ladder=slug,
                key=key,
                edition=last.number,
            )
