"""Determines whether a period is closed, and whether it awaits a decision, such as after a late game.

This follows from the period's last edition, the decisions about it, and its current ranking.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from league.core.ladders.selectors.ladders import Row
from league.core.ladders.selectors.standings import live_rows
from league.core.log.chain import canonical
from league.models import Decision, Edition, Period


def refresh_closure(periods: Sequence[Period], digests: Mapping[int, str] | None = None) -> None:
    """Update from editions and decisions whether periods are closed and whether they await a decision.

    ``digests``: of their current rankings, by period key, if known.
    """
    series = editions_by_period(periods)
    for period in periods:
        edition = series.get((period.ladder_id, period.key))
        state = (False, False)
        if edition is not None:
            decisions = Decision.objects.filter(ladder=period.ladder_id, key=period.key, edition=edition.number)
            state = closure_of(edition, decisions.order_by("at", "pk"), partial(digest_now, period, digests))
        if state != (period.closed, period.awaits):
            period.closed, period.awaits = state
            period.save(update_fields=["closed", "awaits"])


def digest_now(period: Period, known: Mapping[int, str] | None) -> str:
    """Return the SHA-256 of a period's current ranking, computing it if not known."""
    return (known or {}).get(period.pk) or standings_digest(live_rows(period))


def closure_of(edition: Edition, decisions: Iterable[Decision], digest: Callable[[], str]) -> tuple[bool, bool]:
    """Return whether a period is closed, and whether it awaits a decision.

    ``edition`` is its last one, ``decisions`` are those about it, in order; ``digest`` computes the digest of
    its current ranking, and is called only if needed.
    """
    carried = [""]
    for decision in decisions:
        if decision.kind == Decision.Kind.REOPEN:
            return False, False
        carried.append(decision.digest)
    return True, digest() not in {edition.standings_sha256, carried[-1]}


def editions_by_period(periods: Sequence[Period]) -> dict[tuple[int, str], Edition]:
    """Return the last edition of each period that has one, without documents."""
    ladders, keys = {period.ladder_id for period in periods}, {period.key for period in periods}
    editions = Edition.objects.filter(ladder__in=ladders, key__in=keys).defer("document").order_by("number")
    return {(edition.ladder_id, edition.key): edition for edition in editions}


def standings_digest(rows: Sequence[Row]) -> str:
    """Return the SHA-256 of a ranking's canonical JSON, without names, as players may be renamed."""
    payload = [{key: value for key, value in row.items() if key != "name"} for row in rows]
    return hashlib.sha256(canonical(payload).encode()).hexdigest()
