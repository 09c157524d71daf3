"""Ladders, their dated rules, periods, standings and editions, and an overview of a league's ladders."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from league.core.calendar import Span, compute_local_date, compute_span, format_period_key, parse_span
from league.core.errors import NotFound, Problem, Refused, UnknownZone
from league.core.ladders.selectors.tallies import build_method, compute_tallies_between
from league.core.rules.selectors.rules import build_rule_system, load_rules
from league.models import Decision, Edition, Ladder, LadderRule, League, Period, Player, RatingChange
from league.models.contexts import changes_of
from ratings.columns.tallies import build_column, ranks_of
from ratings.contract.method import MAX_COLUMNS, Method, Tally, find_column, localize_why_not, rank_players

VALUES = tuple(f"value_{index}" for index in range(1, MAX_COLUMNS + 1))
#: One line of a ranking: rank, player, name, score, games, columns, qualified, why_not, decided_by.
Row = dict[str, Any]


def load_ladders(league: League) -> list[Ladder]:
    """Return the league's ladders with their rules, in order of creation."""
    return list(league.ladders.order_by("pk").prefetch_related("rules"))


def find_ladder(league: League, slug: str) -> Ladder:
    """Return a ladder of the league with its rules; raises NotFound with a message."""
    # PostgreSQL rejects NUL characters, which slugs never contain.
    ladder = None if "\0" in slug else league.ladders.filter(slug=slug).prefetch_related("rules").first()
    if ladder is None:
        raise NotFound(_("The league {league} has no ladder “{slug}”.").format(league=league.title, slug=slug))
    return ladder


def load_ladder_rules(ladder: Ladder) -> list[LadderRule]:
    """Return a ladder's rules, earliest first."""
    return sorted(ladder.rules.all(), key=lambda rule: rule.from_date)


def _find_rule_on(rules: Sequence[LadderRule], day: date) -> LadderRule | None:
    """Return the rule that ranks a period beginning on a day."""
    in_force = [rule for rule in rules if rule.from_date <= day]
    return in_force[-1] if in_force else None


def find_rule_and_span(ladder: Ladder, rules: Sequence[LadderRule], day: date) -> tuple[LadderRule, Span] | None:
    """Return the rule and the period of a ladder that contains a day; None if there is none."""
    rule = _find_rule_on(rules, day)
    if rule is None:
        return None
    span = compute_span(rule.cadence, day, rule.from_date, rule.to_date)
    if span is None or (ladder.ended_on is not None and span.first >= ladder.ended_on):
        return None
    return rule, span


def find_rule_to_show(ladder: Ladder, now: datetime, league: League) -> LadderRule:
    """Return the rule to show for a ladder: the one in force today, else the first one."""
    return find_rule_in_force(ladder, now, league) or load_ladder_rules(ladder)[0]


def find_rule_in_force(ladder: Ladder, now: datetime, league: League) -> LadderRule | None:
    """Return the rule of a ladder in force today, None before its first day."""
    try:
        today = compute_local_date(now, league.time_zone)
    except UnknownZone:
        today = now.date()  # pages must not fail because of an unknown zone, which only closing needs
    return _find_rule_on(load_ladder_rules(ladder), today)


def find_periods(ladder: Ladder) -> QuerySet[Period]:
    """Return the periods of a ladder, latest first."""
    return ladder.periods.select_related("rule").order_by("-starts_at")


def find_period(ladder: Ladder, key: str) -> Period:
    """Return a period of a ladder by its key; raises NotFound with a message."""
    period = None if "\0" in key else find_periods(ladder).filter(key=key).first()
    if period is not None:
        return period
    span = parse_span(key)
    if span is None:
        message = _("“{key}” is not a period; write it like 2024-03, 2024-Q1, 2024-W09, 2024 or all.").format(key=key)
        raise NotFound(message)
    raise NotFound(
        _("No games were played in {period} of the ladder {ladder}.").format(period=span.name, ladder=ladder.title)
    )


def sum_games(rows: Sequence[Row]) -> int:
    """Return the sum of all players' games in a ranking."""
    return sum(row["games"] for row in rows)


@dataclass(frozen=True)
class LadderLine:
    """A ladder with its current rule and period, its last edition, and the number of decisions due."""

    ladder: Ladder
    rule: LadderRule
    method: Method
    period: Period | None
    edition: Edition | None
    due: int
    reopened: bool = False
    """Whether the period of that edition is open again, so that it has no winner."""

    @property
    def published(self) -> str:
        """Return the name of the period last published."""
        return format_period_key(self.edition.key) if self.edition else ""


@dataclass(frozen=True)
class PeriodLine:
    """A period of a ladder with its number of rated games, and its last edition if it was ever closed."""

    period: Period
    edition: Edition | None
    games: int

    @property
    def winners(self) -> list[dict[str, Any]]:
        """Return the published winners; none while the period is open."""
        return self.edition.winners if self.edition and self.period.closed else []

    @property
    def decimals(self) -> int:
        """Return the decimals of the period's scores."""
        return build_method(self.period.rule).decimals


def load_ladder_lines(league: League, now: datetime) -> list[LadderLine]:
    """Return the ladders of a league in order of creation, with a fixed number of queries."""
    ladders = load_ladders(league)
    running = Period.objects.filter(league=league, starts_at__lte=now, ends_at__gt=now).select_related("rule")
    periods = {period.ladder_id: period for period in running}
    newest_edition = Edition.objects.filter(ladder=OuterRef("pk")).order_by("-starts_at", "-number").values("pk")[:1]
    ids = league.ladders.order_by().annotate(newest=Subquery(newest_edition)).values("newest")
    closed = Exists(Period.objects.filter(ladder=OuterRef("ladder"), key=OuterRef("key"), closed=True))
    published = Edition.objects.filter(pk__in=ids).defer("document").annotate(stands=closed)
    editions = {edition.ladder_id: edition for edition in published}
    awaiting = Period.objects.filter(league=league, awaits=True).order_by()
    awaiting_count = dict(awaiting.values_list("ladder").annotate(due=Count("pk")))
    lines = []
    for ladder in ladders:
        rule = find_rule_to_show(ladder, now, league)
        edition = editions.get(ladder.pk)
        reopened = edition is not None and not edition.stands
        fields = periods.get(ladder.pk), edition, awaiting_count.get(ladder.pk, 0), reopened
        lines.append(LadderLine(ladder, rule, build_method(rule), *fields))
    return lines


def load_period_lines(ladder: Ladder, *, page: int, size: int) -> tuple[list[PeriodLine], int]:
    """Return one page of a ladder's periods, latest first, and their total number."""
    changes = RatingChange.objects.filter(
        league=OuterRef("league"), step=1, at__gte=OuterRef("starts_at"), at__lt=OuterRef("ends_at")
    )
    games = changes.order_by().values("league").annotate(games=Count("number", distinct=True)).values("games")
    periods = ladder.periods.select_related("rule").order_by("-starts_at").annotate(games=Coalesce(Subquery(games), 0))
    page_periods = list(periods[(page - 1) * size : page * size])
    published = Edition.objects.filter(ladder=ladder, key__in=[period.key for period in page_periods])
    last = {edition.key: edition for edition in published.defer("document").order_by("number")}
    return [PeriodLine(one, last.get(one.key), one.games) for one in page_periods], ladder.periods.count()


def load_periods_at(league: League, time: datetime) -> list[Period]:
    """Return the periods of all ladders of a league that contain a time, with their ladders."""
    periods = Period.objects.filter(league=league, starts_at__lte=time, ends_at__gt=time)
    return list(periods.select_related("ladder").order_by("ladder"))


class StandingDifference(NamedTuple):
    """A line that differs between two rankings of a period; None if the player is missing in one."""

    player: str
    name: str
    rank_before: int | None
    rank_after: int | None
    score_before: float | None
    score_after: float | None


class PublishedPeriod(NamedTuple):
    """A closed period: its last edition, and the method that ranked it, which formats its scores."""

    edition: Edition
    method: Method

    @property
    def name(self) -> str:
        """Return the period's name in the reader's language."""
        return format_period_key(self.edition.key)


def load_live_rows(period: Period) -> list[Row]:
    """Return the ranking of a period from its standings, best first; players of equal rank by handle."""
    method = build_method(period.rule)
    keys = [column.key for column in method.columns]
    fields = ("player__handle", "player__name", "score", "games", "why_not", *VALUES[: len(keys)])
    lines = sorted(period.standings.order_by().values_list(*fields))
    handles, names, scores, games, reasons, *values = zip(*lines, strict=True) if lines else [()] * len(fields)
    chain = method.chain()
    deciding = [build_column(values[find_column(method, key)]) for key in chain]
    out = np.array([bool(reason) for reason in reasons], dtype=bool)
    ranks = ranks_of(build_column(scores), deciding, out, np.arange(len(lines)))
    return [
        {
            "rank": int(ranks.rank[index]) or None,
            "player": handles[index],
            "name": names[index],
            "score": scores[index],
            "games": games[index],
            "columns": {key: column[index] for key, column in zip(keys, values, strict=True)},
            "qualified": not reasons[index],
            "why_not": localize_why_not(reasons[index]),
            "decided_by": ("", *chain)[ranks.decided_by[index]],
        }
        for index in ranks.order.tolist()
    ]


def compute_rows_at(league: League, period: Period, time: datetime) -> list[Row]:
    """Return the ranking of a period from the games played before a time; in a context, from those that count there.

    Raises Refused if the method cannot rank by the system of a context.
    """
    method = build_method(period.rule)
    if league.context is not None:
        refusals = [method.refusal(type(build_rule_system(rule))) for rule in load_rules(league)]
        if refusal := next(filter(None, refusals), ""):
            raise Refused.of([Problem("?context", "other_system", refusal)])
    return rows_of(method, compute_tallies_between(league, method, period.starts_at, min(time, period.ends_at)))


def rows_of(method: Method, tallies: Mapping[int, Tally]) -> list[Row]:
    """Return tallies as ranked lines with handles and names; players of equal rank by handle."""
    names = {
        pk: (handle, name)
        for pk, handle, name in Player.objects.filter(pk__in=list(tallies)).values_list("pk", "handle", "name")
    }
    keys = [column.key for column in method.columns]
    order = {player: names[player][0] for player in tallies}
    return [
        {
            "rank": one.rank,
            "player": names[one.player][0],
            "name": names[one.player][1],
            "score": one.tally.score,
            "games": one.tally.games,
            "columns": dict(zip(keys, one.tally.values, strict=True)),
            "qualified": not one.tally.why_not,
            "why_not": localize_why_not(one.tally.why_not),
            "decided_by": one.decided_by,
        }
        for one in rank_players(method, tallies, order)
    ]


def list_winners(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the players with the first rank: player, name, score."""
    return [{key: row[key] for key in ("player", "name", "score")} for row in rows if row["rank"] == 1]


def load_editions(period: Period) -> list[Edition]:
    """Return the editions of a period in order, without their documents."""
    editions = Edition.objects.filter(ladder_id=period.ladder_id, key=period.key)
    return list(editions.defer("document").order_by("number"))


def find_edition(period: Period, number: int) -> Edition:
    """Return an edition of a period; raises NotFound with a message."""
    edition = Edition.objects.filter(ladder_id=period.ladder_id, key=period.key, number=number).first()
    if edition is None:
        raise NotFound(_("{period} has no edition {number}.").format(period=period.name, number=number))
    return edition


def find_latest_edition(period: Period) -> Edition | None:
    """Return the last edition of a period, None if it was never closed."""
    return Edition.objects.filter(ladder_id=period.ladder_id, key=period.key).order_by("-number").first()


def list_edition_rows(edition: Edition) -> list[Row]:
    """Return the ranking that an edition published."""
    rows: list[Row] = json.loads(edition.document)["standings"]
    return [{**row, "why_not": localize_why_not(row["why_not"])} for row in rows]


def count_games_of_edition(edition: Edition) -> int:
    """Return the number of games that an edition counts."""
    games: int = json.loads(edition.document)["games"]
    return games


def count_games_before(league: League, period: Period, time: datetime | None = None) -> int:
    """Return the number of rated games of a period, optionally before a time."""
    end = min(time, period.ends_at) if time else period.ends_at
    changes = changes_of(league).filter(step=1, at__gte=period.starts_at, at__lt=end).order_by()
    return changes.values("number").distinct().count()


def load_shown_rows(period: Period) -> tuple[Sequence[Row], Edition | None]:
    """Return the ranking to display: that of the last edition (and the edition) if closed, else the live one."""
    edition = find_latest_edition(period) if period.closed else None
    return (load_live_rows(period), None) if edition is None else (list_edition_rows(edition), edition)


def load_decisions(period: Period) -> list[Decision]:
    """Return the decisions about a period in order."""
    return list(Decision.objects.filter(ladder_id=period.ladder_id, key=period.key).order_by("at", "pk"))


def compute_differences(before: Sequence[Row], after: Sequence[Row]) -> list[StandingDifference]:
    """Return the differences between two rankings of a period, in the order of the second."""
    old = {row["player"]: row for row in before}
    new = {row["player"]: row for row in after}
    rows = []
    for player in [*new, *(player for player in old if player not in new)]:
        old_row, new_row = old.get(player), new.get(player)
        # Names are ignored, as players may be renamed.
        if (
            old_row is not None
            and new_row is not None
            and not any(old_row[key] != new_row[key] for key in old_row if key != "name")
        ):
            continue
        row = new_row or old_row or {}
        none: Row = {"rank": None, "score": None}
        first, second = old_row or none, new_row or none
        pairs = (first["rank"], second["rank"], first["score"], second["score"])
        rows.append(StandingDifference(player, row["name"], *pairs))
    return rows


def load_periods_awaiting_decision(league: League) -> list[Period]:
    """Return the closed periods of a league that await a decision, earliest first."""
    periods = Period.objects.filter(league=league, awaits=True).select_related("ladder", "rule")
    return list(periods.order_by("starts_at", "ladder"))


def load_unclosed_periods(league: League, now: datetime) -> list[Period]:
    """Return the ended periods of a league that have games and are not closed, earliest first."""
    rated_games = RatingChange.objects.filter(league=league, at__gte=OuterRef("starts_at"), at__lt=OuterRef("ends_at"))
    periods = Period.objects.filter(Exists(rated_games), league=league, closed=False, ends_at__lte=now)
    return list(periods.select_related("ladder", "rule").order_by("starts_at", "ladder"))


def load_ending_periods(leagues: Sequence[League], begin: datetime, end: datetime) -> list[Period]:
    """Return the periods of leagues that have games, are not closed and end between two times, earliest first."""
    rated_games = RatingChange.objects.filter(
        league=OuterRef("league"), at__gte=OuterRef("starts_at"), at__lt=OuterRef("ends_at")
    )
    ending = Period.objects.filter(league__in=leagues, closed=False, ends_at__gt=begin, ends_at__lte=end)
    found = ending.filter(Exists(rated_games)).select_related("ladder", "rule")
    return list(found.order_by("ends_at", "-starts_at", "ladder"))


def load_closed_periods_at(league: League, time: datetime) -> list[Period]:
    """Return the closed periods of a league that contain a time."""
    periods = Period.objects.filter(league=league, closed=True, starts_at__lte=time, ends_at__gt=time)
    return list(periods.select_related("ladder").order_by("starts_at", "ladder"))


def load_published_periods(condition: Q, maximum: int | None = None) -> list[PublishedPeriod]:
    """Return the closed periods, each with its last edition, latest first.

    ``condition``: a condition on editions. A reopened period is left out until it is closed again.
    """
    period = Period.objects.filter(ladder=OuterRef("ladder"), key=OuterRef("key"))
    later = Edition.objects.filter(ladder=OuterRef("ladder"), key=OuterRef("key"), number__gt=OuterRef("number"))
    editions = Edition.objects.filter(condition, Exists(period.filter(closed=True)), ~Exists(later))
    closed = editions.select_related("ladder").defer("document").order_by("-starts_at", "ladder")
    closed = closed.annotate(method=period.values("rule__method"), parameters=period.values("rule__parameters"))
    return [
        PublishedPeriod(edition, build_method(LadderRule(method=edition.method, parameters=edition.parameters)))
        for edition in closed[:maximum]
    ]


def load_last_editions(ladder: Ladder) -> list[Edition]:
    """Return the last edition of every closed period of a ladder, latest period first."""
    return [published.edition for published in load_published_periods(Q(ladder=ladder))]
