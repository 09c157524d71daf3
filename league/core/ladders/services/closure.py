"""Whether a period is closed, and whether it awaits a decision: here it is decided that a late game asks the organiser.

It follows from the period's last edition, from what was decided about that, and from its ranking as of now.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from league.core.ladders.selectors.ranking import Row
from league.core.ladders.selectors.standings import live_rows
from league.core.log.chain import canonical
from league.models import Decision, Edition, Period


def refresh_closure(periods: Sequence[Period], digests: Mapping[int, str] | None = None) -> None:
    """Work out from the editions and decisions whether periods are closed, and whether they await a decision.

    ``digests``: those of their rankings now, by the periods' keys, as far as they are known.
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
    """Return the SHA-256 of the ranking of a period as its standings are now, worked out where it is not known."""
    return (known or {}).get(period.pk) or standings_digest(live_rows(period))


def closure_of(edition: Edition, decisions: Iterable[Decision], digest: Callable[[], str]) -> tuple[bool, bool]:
    """Return whether a period is closed, and whether it awaits a decision.

    ``edition`` is its last one, ``decisions`` are those about it, in their order; ``digest`` works out that of
    its ranking now, and is asked only where that matters.
    """
    carried = [""]
    for decision in decisions:
        if decision.kind == Decision.Kind.REOPEN:
            return False, False
        carried.append(decision.digest)
    return True, digest() not in {edition.standings_sha256, carried[-1]}


def editions_by_period(periods: Sequence[Period]) -> dict[tuple[int, str], Edition]:
    """Return the last edition of each period that has one; the documents are left in the database."""
    ladders, keys = {period.ladder_id for period in periods}, {period.key for period in periods}
    editions = Edition.objects.filter(ladder__in=ladders, key__in=keys).defer("document").order_by("number")
    return {(edition.ladder_id, edition.key): edition for edition in editions}


def standings_digest(rows: Sequence[Row]) -> str:
    """Return the SHA-256 of a ranking's canonical JSON, names left out: a player may be renamed."""
    payload = [{key: value for key, value in row.items() if key != "name"} for row in rows]
    return hashlib.sha256(canonical(payload).encode()).hexdigest()
