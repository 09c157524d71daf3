"""Periods and standings under ``verify``: rebuilt from history that is right, and compared."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from league.core.calendar import bounds, day_of, zone_of
from league.core.db.columns import moment_of, to_micros
from league.core.errors import UnknownZone
from league.core.ladders.selectors.ladders import ladders_of, rules_of_ladder, span_with_rule
from league.core.ladders.selectors.standings import rows_of
from league.core.ladders.selectors.tallies import method_of, rated_games_of, tabulate_periods, tallies_between
from league.core.ladders.services.closure import closure_of, standings_digest
from league.core.ladders.services.periods import COLUMNS, by_rule, matched_rows, standing_rows, stored_rows
from league.core.ladders.services.periods import rows_of as tallied
from league.core.log.chain import instant
from league.core.replay.services.compute import rated_lines
from league.core.text.stored_messages import Said, phrase
from league.core.verify.league_data import VerifiedLeague, column, format_full, otherwise, some
from league.models import Decision, Edition, Ladder, League, Period
from ratings.contract.method import Tally

#: What a standing says, beside whose it is.
STANDING_VALUES = COLUMNS[2:]


@dataclass(frozen=True)
class VerifiedPeriods:
    """The periods of a league's ladders, and what was published and decided about them, each by ladder and key."""

    ladders: list[Ladder]
    known: list[Period]
    editions: dict[tuple[int, str], Edition]
    """The last one of each period, without its document."""
    decisions: dict[tuple[int, str, int], list[Decision]]

    @classmethod
    def read(cls, league: League) -> "VerifiedPeriods":
        """Read them."""
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


def ladder_problems(books: VerifiedLeague, periods: VerifiedPeriods) -> Iterator[Said]:
    """Yield the periods that are missing although games were played in them, and those that are not the calendar's."""
    try:
        zone_of(books.league.time_zone)
    except UnknownZone:
        # As the error says it.
        yield phrase(
            "The time zone “{name}” is unknown; choose another in the league's settings.",
            name=books.league.time_zone,
        )
        return
    for ladder in periods.ladders:
        known = [period for period in periods.known if period.ladder_id == ladder.pk]
        missing = list(missing_periods(books, ladder, known))
        sentences = (phrase("{fact} is missing.", fact=period_name(ladder.slug, key)) for key in missing)
        yield from some(len(missing), sentences, phrase("in the periods"))
        moved = [
            sentence
            for period in known
            for sentence in calendar_problems(books.league, ladder, period, periods.editions)
        ]
        yield from some(len(moved), moved, phrase("in the calendar"))


def calendar_problems(
    league: League, ladder: Ladder, period: Period, editions: Mapping[tuple[int, str], Edition]
) -> Iterator[Said]:
    """Yield where a period is not the one of the calendar that its ladder's rules say.

    When a published one begins and ends is said by its edition, whatever a zone's rules were since.
    """
    name = period_name(period.ladder.slug, period.key)
    dated = span_with_rule(ladder, rules_of_ladder(ladder), day_of(period.starts_at, league.time_zone))
    if dated is None:
        yield phrase("{period} must not exist: the ladder ranks nothing then.", period=name)
        return
    rule, span = dated
    starts_at, ends_at = bounds(span, league.time_zone)
    stands = {"key": period.key, "title": period.title, "rule": period.rule.from_date.isoformat()}
    must = {"key": span.key, "title": span.title, "rule": rule.from_date.isoformat()}
    if (ladder.pk, period.key) not in editions:
        stands |= {"starts_at": instant(period.starts_at), "ends_at": instant(period.ends_at)}
        must |= {"starts_at": instant(starts_at), "ends_at": instant(ends_at)}
    for member, value in stands.items():
        if value != must[member]:
            yield phrase(
                "{period} has {member} “{value}”; by the calendar it must be “{other}”.",
                period=name,
                member=member,
                value=value,
                other=must[member],
            )


def missing_periods(books: VerifiedLeague, ladder: Ladder, known: Sequence[Period]) -> Iterator[str]:
    """Yield the keys of a ladder's periods in which rated games were played, and which are not there."""
    moments = books.log.moments[books.edges[0] if books.edges else len(books.log.moments) :].tolist()
    if books.stale_from is not None:
        moments = moments[: bisect_left(moments, to_micros(books.stale_from[0]))]
    rules = rules_of_ladder(ladder)
    starts = [to_micros(period.starts_at) for period in known]
    at = 0
    while at < len(moments):
        index = bisect_right(starts, moments[at]) - 1
        if index >= 0 and to_micros(known[index].ends_at) > moments[at]:
            at = bisect_left(moments, to_micros(known[index].ends_at), lo=at)
            continue
        dated = span_with_rule(ladder, rules, day_of(moment_of(moments[at]), books.league.time_zone))
        if dated is None:
            at = bisect_right(moments, moments[at], lo=at)
            continue
        yield dated[1].key
        at = max(bisect_left(moments, to_micros(bounds(dated[1], books.league.time_zone)[1]), lo=at), at + 1)


def doubtful(books: VerifiedLeague, periods: VerifiedPeriods) -> set[int]:
    """Return the keys of the periods to be looked at one by one: published ones, and where columns differ."""
    rated_games = rated_games_of(books.league, rated_lines(books.computed, books.log))
    found = {period.pk for period in periods.known if (period.ladder_id, period.key) in periods.editions}
    for _, group in groupby(sorted(periods.known, key=lambda one: (one.rule_id, one.starts_at)), by_rule):
        mine = list(group)
        spans = [(period.starts_at, period.ends_at) for period in mine]
        rows = tallied(mine, tabulate_periods(rated_games, method_of(mine[0].rule), spans))
        _, stored = stored_rows(mine, rows.sentences)
        same, stands = matched_rows(stored, rows)
        found |= {*rows.period[~same].tolist(), *stored.period[~stands].tolist()}
        found |= {period.pk for period in mine if period.closed or period.awaits}
    return found


def state_problems(books: VerifiedLeague, periods: VerifiedPeriods, period: Period) -> Iterator[Said]:
    """Yield how the standings of a period differ from what its games give, and whether it is closed."""
    name = f"{period.ladder.slug}, {period.key}"
    tallies = tallies_between(books.league, method_of(period.rule), period.starts_at, period.ends_at)
    computed = {row[1]: row[2:] for row in standing_rows({(period.pk, player): one for player, one in tallies.items()})}
    rows = period.standings.order_by("player").values_list(*COLUMNS[1:])
    stored = {row[0]: row[1:] for row in rows}
    wrong = [player for player in {**stored, **computed} if stored.get(player) != computed.get(player)]
    sentences = (standing_sentence(books, name, player, stored.get(player), computed.get(player)) for player in wrong)
    yield from some(len(wrong), sentences, phrase("in the standings of {period}", period=name))
    says, must = state_words(period.closed, period.awaits), state_words(*state_of(periods, period, tallies))
    if says != must:
        yield otherwise(period_name(period.ladder.slug, period.key), says, must)


def standing_sentence(
    books: VerifiedLeague, name: str, player: int, old: Sequence[Any] | None, new: Sequence[Any] | None
) -> Said:
    """Return the sentence that tells how a standing differs."""
    who = phrase("The standing of {player} in {period}", player=books.name(player), period=name)
    if old is None:
        return phrase("{fact} is missing.", fact=who)
    if new is None:
        return phrase("{fact} must not exist.", fact=who)
    pairs = [(key, one, two) for key, one, two in zip(STANDING_VALUES, old, new, strict=True) if one != two]
    says = [column(key, format_standing_value(one)) for key, one, _ in pairs]
    return otherwise(who, says, [column(key, format_standing_value(two)) for key, _, two in pairs])


def format_standing_value(value: Any) -> str:
    """Write a figure or a reason of a standing."""
    return phrase("nothing") if value is None or value == "" else format_full(value)


def state_of(periods: VerifiedPeriods, period: Period, tallies: dict[int, Tally]) -> tuple[bool, bool]:
    """Return whether a period is closed and awaits a decision, by the ranking that its games give."""
    edition = periods.editions.get((period.ladder_id, period.key))
    if edition is None:
        return False, False
    decisions = periods.decisions.get((period.ladder_id, period.key, edition.number), [])
    return closure_of(edition, decisions, lambda: standings_digest(rows_of(method_of(period.rule), tallies)))


def state_words(closed: bool, awaits: bool) -> Said:
    """Say whether a period is closed, and whether it awaits a decision."""
    if not closed:
        return phrase("open")
    return phrase("closed, a decision due") if awaits else phrase("closed")


def period_name(slug: str, key: str) -> Said:
    """Return how a sentence names a period."""
    return phrase("The period {ladder}, {key}", ladder=slug, key=key)
