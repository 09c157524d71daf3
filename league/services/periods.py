"""Standings of the ladders' periods, brought up to date with the ratings, in the same transaction.

Everything here runs under the league's lock. A period is created by its first game or when it
begins, whichever is earlier; the instants of its beginning and end are resolved then.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import rfc8785

from league.calendar import Span, bounds, day_of
from league.models import Decision, Ladder, LadderRule, League, Period, RatingChange, Standing
from league.selectors.ladders import ladders_of, method_of, place_of, rules_of_ladder
from league.selectors.standings import VALUES, Row, editions_of, live_rows
from league.selectors.tallies import tallies_between
from league.services.bulk import insert_rows
from ratings.method import Tally
from ratings.system import RatingSystem

COLUMNS = ("period", "player", "score", "games", "why_not", *VALUES)


def update_ladders(league: League, system: RatingSystem, moment: datetime, players: Collection[int]) -> None:
    """Bring the standings up to date after the newest game, for the players concerned."""
    for ladder in ladders_of(league):
        period = period_at(league, ladder, rules_of_ladder(ladder), moment)
        if period is None:
            continue
        method = method_of(period.rule)
        everybody = method.reach == "period" or (method.reads_ratings and system.moves_everybody())
        write_standings(league, period, None if everybody else players)
        settle(period)


def refresh_ladders(league: League, since: datetime | None, ladders: Iterable[Ladder] | None = None) -> None:
    """Compute the standings anew of every period that holds games at an instant or after it; None: of all."""
    for ladder in ladders_of(league) if ladders is None else ladders:
        known = ladder.periods.select_related("rule")
        known = known if since is None else known.filter(ends_at__gt=since)
        periods = {period.pk: period for period in known}
        for period in periods_played(league, ladder, since):
            periods.setdefault(period.pk, period)
        for period in periods.values():
            write_standings(league, period, None)
            settle(period)


def periods_played(league: League, ladder: Ladder, since: datetime | None) -> Iterator[Period]:
    """Yield the periods of a ladder that hold rated games from an instant on, made where they are missing."""
    changes = RatingChange.objects.filter(league=league, step=1)
    if since is not None:
        changes = changes.filter(at__gte=since)
    rules = rules_of_ladder(ladder)
    end: datetime | None = None
    for moment in list(changes.order_by("at").values_list("at", flat=True).distinct()):
        if end is not None and moment < end:
            continue
        period = period_at(league, ladder, rules, moment)
        if period is not None:
            end = period.ends_at
            yield period


def period_at(league: League, ladder: Ladder, rules: Sequence[LadderRule], moment: datetime) -> Period | None:
    """Return the period of a ladder in which an instant lies, made where it is missing; None where none does."""
    known = ladder.periods.filter(starts_at__lte=moment, ends_at__gt=moment).select_related("rule").first()
    if known is not None:
        return known
    place = place_of(ladder, rules, day_of(moment, league.time_zone))
    return None if place is None else open_period(league, ladder, *place)


def open_period(league: League, ladder: Ladder, rule: LadderRule, span: Span) -> Period:
    """Make a period; its instants are resolved in the league's zone now and stay."""
    starts_at, ends_at = bounds(span, league.time_zone)
    return Period.objects.create(
        ladder=ladder, rule=rule, key=span.key, title=span.title, starts_at=starts_at, ends_at=ends_at
    )


def open_current(league: League, ladder: Ladder, now: datetime) -> Period | None:
    """Open the period of a ladder that runs now, where one does and is not open yet; raises UnknownZone."""
    place = place_of(ladder, rules_of_ladder(ladder), day_of(now, league.time_zone))
    if place is None or ladder.periods.filter(starts_at__lte=now, ends_at__gt=now).exists():
        return None
    return open_period(league, ladder, *place)


def write_standings(league: League, period: Period, players: Collection[int] | None) -> None:
    """Write the standings of some players of a period, or of all (None), from the history."""
    tallies = tallies_between(league, method_of(period.rule), period.starts_at, period.ends_at, players)
    old = Standing.objects.filter(period=period)
    (old if players is None else old.filter(player__in=players)).delete()
    insert_rows(Standing, COLUMNS, standing_rows(period, tallies))


def standing_rows(period: Period, tallies: Mapping[int, Tally]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a period's standings."""
    for player, tally in tallies.items():
        values = [*tally.values, *([None] * (len(VALUES) - len(tally.values)))]
        yield (period.pk, player, tally.score, tally.games, tally.why_not, *values)


def settle(period: Period) -> None:
    """Work out from the editions and decisions whether a period is closed, and whether it awaits a decision."""
    edition = next(reversed(editions_of(period)), None)  # not latest_edition: it brings the whole document
    closed, awaits = False, False
    if edition is not None:
        decisions = Decision.objects.filter(ladder=period.ladder_id, key=period.key, edition=edition.number)
        closed = not decisions.filter(kind=Decision.Kind.REOPEN).exists()
        if closed:
            digest = standings_digest(live_rows(period))
            carried = decisions.filter(kind=Decision.Kind.CARRY).order_by("-at", "-pk").first()
            awaits = digest not in {edition.standings_sha256, carried.digest if carried else ""}
    if (closed, awaits) != (period.closed, period.awaits):
        period.closed, period.awaits = closed, awaits
        period.save(update_fields=["closed", "awaits"])


def standings_digest(rows: Sequence[Row]) -> str:
    """Return the SHA-256 of a ranking's canonical JSON, names left out: a player may be renamed."""
    told = [{key: value for key, value in row.items() if key != "name"} for row in rows]
    return hashlib.sha256(rfc8785.dumps(told)).hexdigest()
