"""Verification of periods and standings: computed again from verified history, and compared."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from league.core.calendar import bounds, day_of, zone_of
from league.core.db.columns import moment_of, to_micros
from league.core.errors import UnknownZone
from league.core.ladders.selectors.ladders import ladders_of, rows_of, rules_of_ladder, span_with_rule
from league.core.ladders.selectors.tallies import method_of, rated_games_of, tabulate_periods, tallies_between
from league.core.ladders.services.periods import (
    COLUMNS,
    by_rule,
    closure_of,
    matched_rows,
    standing_rows,
    standings_digest,
    stored_rows,
)
from league.core.ladders.services.periods import rows_of as tallied
from league.core.log.chain import instant
from league.core.replay.services.compute import rated_lines
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
        known = Period.objects.filter(league=league).select_related("ladder", "rule")
        editions = Edition.objects.filter(league=league).defer("document").order_by("number")
        decisions: dict[tuple[int, str, int], list[Decision]] = {}
        for decision in Decision.objects.filter(league=league).order_by("at", "pk"):
            decisions.setdefault((decision.ladder_id, decision.key, decision.edition), []).append(decision)
        return cls(
            ladders_of(league),
            list(known.order_by("ladder", "starts_at")),
            {(edition.ladder_id, edition.key): edition for edition in editions},
            decisions,
        )


def find_ladder_problems(data: VerifiedLeague, periods: VerifiedPeriods) -> Iterator[StoredMessage]:
    """Yield a message for each missing period with games, and each period that contradicts the calendar."""
    try:
        zone_of(data.league.time_zone)
    except UnknownZone:
        # The message of UnknownZone.
        yield phrase(
            "The time zone “{name}” is unknown; choose another in the league's settings.",
            name=data.league.time_zone,
        )
        return
    for ladder in periods.ladders:
        known = [period for period in periods.known if period.ladder_id == ladder.pk]
        missing = list(find_missing_periods(data, ladder, known))
        messages = (phrase("{fact} is missing.", fact=_format_period_name(ladder.slug, key)) for key in missing)
        yield from limit_messages(len(missing), messages, phrase("in the periods"))
        moved = [
            message
            for period in known
            for message in find_calendar_problems(data.league, ladder, period, periods.editions)
        ]
        yield from limit_messages(len(moved), moved, phrase("in the calendar"))


def find_calendar_problems(
    league: League, ladder: Ladder, period: Period, editions: Mapping[tuple[int, str], Edition]
) -> Iterator[StoredMessage]:
    """Yield the differences between a period and the calendar of its ladder's rules.

    The times of a published period are those of its edition, even if the rules of the time zone changed since.
    """
    name = _format_period_name(period.ladder.slug, period.key)
    dated = span_with_rule(ladder, rules_of_ladder(ladder), day_of(period.starts_at, league.time_zone))
    if dated is None:
        yield phrase("{period} must not exist: the ladder ranks nothing then.", period=name)
        return
    rule, span = dated
    starts_at, ends_at = bounds(span, league.time_zone)
    stored = {"key": period.key, "title": period.title, "rule": period.rule.from_date.isoformat()}
    expected = {"key": span.key, "title": span.title, "rule": rule.from_date.isoformat()}
    if (ladder.pk, period.key) not in editions:
        stored |= {"starts_at": instant(period.starts_at), "ends_at": instant(period.ends_at)}
        expected |= {"starts_at": instant(starts_at), "ends_at": instant(ends_at)}
    for member, value in stored.items():
        if value != expected[member]:
            yield phrase(
                "{period} has {member} “{value}”; by the calendar it must be “{other}”.",
                period=name,
                member=member,
                value=value,
                other=expected[member],
            )


def find_missing_periods(data: VerifiedLeague, ladder: Ladder, known: Sequence[Period]) -> Iterator[str]:
    """Yield the keys of a ladder's missing periods with rated games."""
    moments = data.log.moments[data.edges[0] if data.edges else len(data.log.moments) :].tolist()
    if data.stale_from is not None:
        moments = moments[: bisect_left(moments, to_micros(data.stale_from[0]))]
    rules = rules_of_ladder(ladder)
    starts = [to_micros(period.starts_at) for period in known]
    at = 0
    while at < len(moments):
        index = bisect_right(starts, moments[at]) - 1
        if index >= 0 and to_micros(known[index].ends_at) > moments[at]:
            at = bisect_left(moments, to_micros(known[index].ends_at), lo=at)
            continue
        dated = span_with_rule(ladder, rules, day_of(moment_of(moments[at]), data.league.time_zone))
        if dated is None:
            at = bisect_right(moments, moments[at], lo=at)
            continue
        yield dated[1].key
        at = max(bisect_left(moments, to_micros(bounds(dated[1], data.league.time_zone)[1]), lo=at), at + 1)


def find_doubtful_periods(data: VerifiedLeague, periods: VerifiedPeriods) -> set[int]:
    """Return the primary keys of periods to compare one by one: published ones and those whose columns differ."""
    rated_games = rated_games_of(data.league, rated_lines(data.computed, data.log))
    found = {period.pk for period in periods.known if (period.ladder_id, period.key) in periods.editions}
    for _, group in groupby(sorted(periods.known, key=lambda one: (one.rule_id, one.starts_at)), by_rule):
        mine = list(group)
        spans = [(period.starts_at, period.ends_at) for period in mine]
        rows = tallied(mine, tabulate_periods(rated_games, method_of(mine[0].rule), spans))
        _, stored = stored_rows(mine, rows.sentences)
        same, matches = matched_rows(stored, rows)
        found |= {*rows.period[~same].tolist(), *stored.period[~matches].tolist()}
        found |= {period.pk for period in mine if period.closed or period.awaits}
    return found


def find_standing_problems(data: VerifiedLeague, periods: VerifiedPeriods, period: Period) -> Iterator[StoredMessage]:
    """Yield the differences in the standings and the state of a period."""
    name = f"{period.ladder.slug}, {period.key}"
    tallies = tallies_between(data.league, method_of(period.rule), period.starts_at, period.ends_at)
    computed = {row[1]: row[2:] for row in standing_rows({(period.pk, player): one for player, one in tallies.items()})}
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
    who = phrase("The standing of {player} in {period}", player=data.name(player), period=name)
    if old is None:
        return phrase("{fact} is missing.", fact=who)
    if new is None:
        return phrase("{fact} must not exist.", fact=who)
    pairs = [(key, one, two) for key, one, two in zip(STANDING_VALUES, old, new, strict=True) if one != two]
    says = [format_column(key, _format_standing_value(one)) for key, one, _ in pairs]
    return describe_difference(who, says, [format_column(key, _format_standing_value(two)) for key, _, two in pairs])


def _format_standing_value(value: Any) -> str:
    return phrase("nothing") if value is None or value == "" else format_full(value)


def compute_period_state(periods: VerifiedPeriods, period: Period, tallies: dict[int, Tally]) -> tuple[bool, bool]:
    """Return whether a period is closed, and whether it awaits a decision, according to the computed ranking."""
    edition = periods.editions.get((period.ladder_id, period.key))
    if edition is None:
        return False, False
    decisions = periods.decisions.get((period.ladder_id, period.key, edition.number), [])
    return closure_of(edition, decisions, lambda: standings_digest(rows_of(method_of(period.rule), tallies)))


def _describe_period_state(closed: bool, awaits: bool) -> StoredMessage:
    if not closed:
        return phrase("open")
    return phrase("closed, a decision due") if awaits else phrase("closed")


def _format_period_name(slug: str, key: str) -> StoredMessage:
    return phrase("The period {ladder}, {key}", ladder=slug, key=key)
