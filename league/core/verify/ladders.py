"""Verification of periods and standings: computed again from verified history, and compared."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from league.core.calendar import compute_bounds, compute_local_date, get_time_zone
from league.core.db.columns import convert_to_datetime, convert_to_micros
from league.core.errors import UnknownZone
from league.core.ladders.selectors.ladders import find_rule_and_span, load_ladder_rules, load_ladders, rows_of
from league.core.ladders.selectors.tallies import (
    build_method,
    build_rated_games,
    compute_tallies_between,
    tabulate_periods,
)
from league.core.ladders.services.periods import (
    COLUMNS,
    compute_closure,
    compute_standings_digest,
    get_rule_key,
    iter_standing_rows,
    load_stored_rows,
    match_stored_rows,
)
from league.core.ladders.services.periods import build_standing_rows as tallied
from league.core.replay.services.compute import build_rated_lines
from league.core.text.instants import format_instant
from league.core.text.stored_messages import StoredMessage, phrase
from league.core.verify.league_data import (
    VerifiedLeague,
    describe_difference,
    format_column,
    format_full,
    limit_messages,
)
from league.models import Decision, Edition, Ladder, League, Period
from ratings.contract.method import Tally

#: The columns of a standing besides its key.
STANDING_VALUES = COLUMNS[2:]


@dataclass(frozen=True)
class VerifiedPeriods:
    """The periods of a league's ladders, with their editions and decisions by ladder and key."""

    ladders: list[Ladder]
    known: list[Period]
    editions: dict[tuple[int, str], Edition]
    """The last edition of each period, without its document."""
    decisions: dict[tuple[int, str, int], list[Decision]]

    @classmethod
    def read(cls, league: League) -> "VerifiedPeriods":
        """Read the periods, editions and decisions of a league."""
        periods = Period.objects.filter(league=league).select_related("ladder", "rule")
        editions = Edition.objects.filter(league=league).defer("document").order_by("number")
        decisions: dict[tuple[int, str, int], list[Decision]] = {}
        for decision in Decision.objects.filter(league=league).order_by("at", "pk"):
            decisions.setdefault((decision.ladder_id, decision.key, decision.edition), []).append(decision)
        return cls(
            load_ladders(league),
            list(periods.order_by("ladder", "starts_at")),
            {(edition.ladder_id, edition.key): edition for edition in editions},
            decisions,
        )


def find_ladder_problems(data: VerifiedLeague, periods: VerifiedPeriods) -> Iterator[StoredMessage]:
    """Yield a message for each missing period with games, and each period that contradicts the calendar."""
    try:
        get_time_zone(data.league.time_zone)
    except UnknownZone:
        # The message of UnknownZone.
        yield phrase(
            "The time zone “{name}” is unknown; choose another in the league's settings.",
            name=data.league.time_zone,
        )
        return
    for ladder in periods.ladders:
        ladder_periods = [period for period in periods.known if period.ladder_id == ladder.pk]
        missing_keys = list(find_missing_periods(data, ladder, ladder_periods))
        messages = (phrase("{fact} is missing.", fact=_format_period_name(ladder.slug, key)) for key in missing_keys)
        yield from limit_messages(len(missing_keys), messages, phrase("in the periods"))
        calendar_problems = [
            message
            for period in ladder_periods
            for message in find_calendar_problems(data.league, ladder, period, periods.editions)
        ]
        yield from limit_messages(len(calendar_problems), calendar_problems, phrase("in the calendar"))


def find_calendar_problems(
    league: League, ladder: Ladder, period: Period, editions: Mapping[tuple[int, str], Edition]
) -> Iterator[StoredMessage]:
    """Yield the differences between a period and the calendar of its ladder's rules.

    The times of a published period are those of its edition, even if the rules of the time zone changed since.
    """
    name = _format_period_name(period.ladder.slug, period.key)
    dated = find_rule_and_span(
        ladder, load_ladder_rules(ladder), compute_local_date(period.starts_at, league.time_zone)
    )
    if dated is None:
        yield phrase("{period} must not exist: the ladder ranks nothing then.", period=name)
        return
    rule, span = dated
    starts_at, ends_at = compute_bounds(span, league.time_zone)
    stored = {"key": period.key, "title": period.title, "rule": period.rule.from_date.isoformat()}
    expected = {"key": span.key, "title": span.title, "rule": rule.from_date.isoformat()}
    if (ladder.pk, period.key) not in editions:
        stored |= {"starts_at": format_instant(period.starts_at), "ends_at": format_instant(period.ends_at)}
        expected |= {"starts_at": format_instant(starts_at), "ends_at": format_instant(ends_at)}
    for member, value in stored.items():
        if value != expected[member]:
            yield phrase(
                "{period} has {member} “{value}”; by the calendar it must be “{other}”.",
                period=name,
                member=member,
                value=value,
                other=expected[member],
            )


def find_missing_periods(data: VerifiedLeague, ladder: Ladder, ladder_periods: Sequence[Period]) -> Iterator[str]:
    """Yield the keys of a ladder's missing periods with rated games."""
    times = data.log.moments[data.edges[0] if data.edges else len(data.log.moments) :].tolist()
    if data.stale_from is not None:
        times = times[: bisect_left(times, convert_to_micros(data.stale_from[0]))]
    rules = load_ladder_rules(ladder)
    starts = [convert_to_micros(period.starts_at) for period in ladder_periods]
    position = 0
    while position < len(times):
        index = bisect_right(starts, times[position]) - 1
        if index >= 0 and convert_to_micros(ladder_periods[index].ends_at) > times[position]:
            position = bisect_left(times, convert_to_micros(ladder_periods[index].ends_at), lo=position)
            continue
        dated = find_rule_and_span(
            ladder, rules, compute_local_date(convert_to_datetime(times[position]), data.league.time_zone)
        )
        if dated is None:
            position = bisect_right(times, times[position], lo=position)
            continue
        yield dated[1].key
        position = max(
            bisect_left(times, convert_to_micros(compute_bounds(dated[1], data.league.time_zone)[1]), lo=position),
            position + 1,
        )


def find_doubtful_periods(data: VerifiedLeague, periods: VerifiedPeriods) -> set[int]:
    """Return the primary keys of periods to compare one by one: published ones and those whose columns differ."""
    rated_games = build_rated_games(data.league, build_rated_lines(data.computed, data.log))
    period_ids = {period.pk for period in periods.known if (period.ladder_id, period.key) in periods.editions}
    for _, group in groupby(sorted(periods.known, key=lambda item: (item.rule_id, item.starts_at)), get_rule_key):
        rule_periods = list(group)
        spans = [(period.starts_at, period.ends_at) for period in rule_periods]
        rows = tallied(rule_periods, tabulate_periods(rated_games, build_method(rule_periods[0].rule), spans))
        _, stored = load_stored_rows(rule_periods, rows.sentences)
        is_computed_matched, is_stored_matched = match_stored_rows(stored, rows)
        period_ids |= {*rows.period[~is_computed_matched].tolist(), *stored.period[~is_stored_matched].tolist()}
        period_ids |= {period.pk for period in rule_periods if period.closed or period.awaits}
    return period_ids


def find_standing_problems(data: VerifiedLeague, periods: VerifiedPeriods, period: Period) -> Iterator[StoredMessage]:
    """Yield the differences in the standings and the state of a period."""
    name = f"{period.ladder.slug}, {period.key}"
    tallies = compute_tallies_between(data.league, build_method(period.rule), period.starts_at, period.ends_at)
    computed = {
        row[1]: row[2:] for row in iter_standing_rows({(period.pk, player): tally for player, tally in tallies.items()})
    }
    rows = period.standings.order_by("player").values_list(*COLUMNS[1:])
    stored = {row[0]: row[1:] for row in rows}
    wrong = [player for player in {**stored, **computed} if stored.get(player) != computed.get(player)]
    messages = (
        _describe_standing_difference(data, name, player, stored.get(player), computed.get(player)) for player in wrong
    )
    yield from limit_messages(len(wrong), messages, phrase("in the standings of {period}", period=name))
    state = _describe_period_state(period.closed, period.awaits)
    expected = _describe_period_state(*compute_period_state(periods, period, tallies))
    if state != expected:
        yield describe_difference(_format_period_name(period.ladder.slug, period.key), state, expected)


def _describe_standing_difference(
    data: VerifiedLeague, name: str, player: int, old: Sequence[Any] | None, new: Sequence[Any] | None
) -> StoredMessage:
    standing = phrase("The standing of {player} in {period}", player=data.name(player), period=name)
    if old is None:
        return phrase("{fact} is missing.", fact=standing)
    if new is None:
        return phrase("{fact} must not exist.", fact=standing)
    pairs = [
        (key, old_value, new_value)
        for key, old_value, new_value in zip(STANDING_VALUES, old, new, strict=True)
        if old_value != new_value
    ]
    says = [format_column(key, _format_standing_value(old_value)) for key, old_value, _ in pairs]
    return describe_difference(
        standing, says, [format_column(key, _format_standing_value(new_value)) for key, _, new_value in pairs]
    )


def _format_standing_value(value: Any) -> str:
    return phrase("nothing") if value is None or value == "" else format_full(value)


def compute_period_state(periods: VerifiedPeriods, period: Period, tallies: dict[int, Tally]) -> tuple[bool, bool]:
    """Return whether a period is closed, and whether it awaits a decision, according to the computed ranking."""
    edition = periods.editions.get((period.ladder_id, period.key))
    if edition is None:
        return False, False
    decisions = periods.decisions.get((period.ladder_id, period.key, edition.number), [])
    return compute_closure(
        edition, decisions, lambda: compute_standings_digest(rows_of(build_method(period.rule), tallies))
    )


def _describe_period_state(closed: bool, awaits: bool) -> StoredMessage:
    if not closed:
        return phrase("open")
    return phrase("closed, a decision due") if awaits else phrase("closed")


def _format_period_name(slug: str, key: str) -> StoredMessage:
    return phrase("The period {ladder}, {key}", ladder=slug, key=key)
