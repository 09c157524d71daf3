"""Updates the standings of ladder periods in the same transaction as the ratings.

If a game may affect everyone's standing in a period of more than ``RUNGS_INLINE_GAMES`` games, a worker ranks the
period after the commit.

Everything here runs under the league's lock. A period is created by its first game or when it
begins, whichever is earlier; its start and end times are resolved then. Standings of whole periods are columns: the
stored ones are made equal to the computed ones.

Whether a period is closed and whether it awaits a decision, such as after a late game, follow from its last edition,
the decisions about it and its current ranking.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache, partial
from itertools import groupby
from typing import Any

import numpy as np
from django.conf import settings
from django.db import connection
from django.db.models import Case, IntegerField, QuerySet, Value, When

from league.core.calendar import Span, compute_bounds, compute_local_date, start_of_day
from league.core.db.bulk import TableShape, insert_few, make_equal, match_rows
from league.core.db.columns import Column, convert_to_datetime, convert_to_micros, read_apart
from league.core.db.statements import count_columns, execute_query, format_select_list, make_object
from league.core.jobs import queue
from league.core.ladders.selectors.ladders import (
    VALUES,
    Row,
    find_rule_and_span,
    load_ladder_rules,
    load_ladders,
    load_live_rows,
)
from league.core.ladders.selectors.tallies import (
    RatedGames,
    RatedLines,
    build_method,
    build_rated_games,
    compute_tallies,
    read_games_of,
    read_rated_games,
    tabulate_periods,
)
from league.core.locking import run_with_league_lock
from league.core.log.chain import serialize_canonically
from league.models import Decision, Edition, Game, Ladder, LadderRule, League, Period, Rule, Standing
from ratings.columns.tallies import Records, Tallies
from ratings.contract.method import Method, Tally
from ratings.contract.system import RatingSystem

COLUMNS = ("period", "player", "score", "games", "why_not", *VALUES)
#: The same as columns of the table, with the league first.
COLUMN_NAMES = ("league_id", "period_id", "player_id", "score", "games", "why_not", *VALUES)


FIGURES = ("score", *VALUES)
KEYS = dict.fromkeys(("league", "period", "player"), "key")
KINDS = {**KEYS, "games": "whole", "why_not": "text", **dict.fromkeys(FIGURES, "float")}


@dataclass(frozen=True)
class Rows:
    """K standings: period (its key), player, games; figures, columns of K, NaN for none; codes of sentences."""

    period: Column
    player: Column
    games: Column
    figures: dict[str, Column]
    why_not: Column
    sentences: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.player)

    def columns(self) -> dict[str, Column]:
        """Return the rows as columns by field name."""
        columns = {name: getattr(self, name) for name in ("period", "player", "games", "why_not")}
        return {**columns, **self.figures}

    def of(self, which: Column) -> "Rows":
        """Return the selected rows."""
        values_by_name = {name: values[which] for name, values in self.figures.items()}
        return Rows(
            self.period[which],
            self.player[which],
            self.games[which],
            values_by_name,
            self.why_not[which],
            self.sentences,
        )

    def reworded(self, messages: Sequence[str]) -> "Rows":
        """Return the rows with codes for these sentences, followed by their own."""
        codes_by_message = {message: code for code, message in enumerate(messages)}
        codes = np.array(
            [codes_by_message.setdefault(message, len(codes_by_message)) for message in self.sentences], dtype=np.int64
        )
        return replace(self, why_not=codes[self.why_not], sentences=tuple(codes_by_message))

    def and_also(self, rows: "Rows") -> "Rows":
        """Return these rows followed by others."""
        other_rows = rows.reworded(self.sentences)
        names = ("period", "player", "games", "why_not")
        columns = {name: np.concatenate([getattr(self, name), getattr(other_rows, name)]) for name in names}
        values_by_name = {name: np.concatenate([self.figures[name], other_rows.figures[name]]) for name in FIGURES}
        return Rows(**columns, figures=values_by_name, sentences=other_rows.sentences)


def update_ladders(
    league: League, system: RatingSystem, time: datetime, players: Sequence[int], rules: Sequence[Rule]
) -> None:
    """Update the standings after the newest game, given its time and players."""
    existing = _load_known_periods(league, time)
    periods = [period for period, _ in existing] if existing is not None else _load_or_create_periods_at(league, time)
    wide = [period for period in periods if affects_other_players(build_method(period.rule), system)]
    narrow = [period for period in periods if period not in wide]
    short = [period for period in wide if not is_long(league, period)]
    if len(short) < len(wide):
        # A worker ranks these; readers see the previous ranking until then.
        league.unranked_from = min(time, league.unranked_from or time)
        league.save(update_fields=["unranked_from"])
        queue.enqueue("league.replay", league.pk)
    if short:
        start = min(period.starts_at for period in short)
        write_standings(read_for([build_method(period.rule) for period in short], league, start), short)
    if narrow:
        rank_players(league, narrow, players, rules)
    # A period without an edition is open and awaits no decision.
    published = (
        periods
        if existing is None
        else [
            known_period for known_period, edition in existing if edition or known_period.closed or known_period.awaits
        ]
    )
    if published:
        refresh_closure(published)


def affects_other_players(method: Method, system: RatingSystem) -> bool:
    """Return whether a game affects tallies of other players, or tallies depend on more than the games."""
    return method.reach != "own" or method.reads_before or (method.reads_ratings and system.moves_all_players())


def is_long(league: League, period: Period) -> bool:
    """Return whether a period has too many games to rank it while recording one."""
    games = Game.objects.filter(league=league, played_at__gte=period.starts_at, played_at__lt=period.ends_at)
    max_games = settings.RUNGS_INLINE_GAMES
    return games[: max_games + 1].count() > max_games


def rank_due(league_id: int) -> None:
    """Rank the waiting periods of a league. If a replay is pending, they wait for it."""
    if League.objects.filter(pk=league_id, unranked_from__isnull=False, stale_from=None).exists():
        run_with_league_lock(league_id, lambda league, now: rank_due_periods(league), any_clock=True)


def rank_due_periods(league: League) -> None:
    """Do the same as ``rank_due`` in a locked league."""
    if league.unranked_from is None or league.stale_from is not None:
        return
    refresh_ladders(league, league.unranked_from)
    league.unranked_from = None
    # Invalidates cached ladders.
    league.replays += 1
    league.save(update_fields=["unranked_from", "replays"])


def refresh_ladders(
    league: League,
    from_time: datetime | None,
    ladders: Iterable[Ladder] | None = None,
    lines: RatedLines | None = None,
) -> None:
    """Recompute the standings of every period with games at or after a time (None: of all periods).

    ``lines``: the league's history as stored, complete or from the first affected period, if already
    loaded.
    """
    selected = load_ladders(league) if ladders is None else list(ladders)
    if not selected:
        return
    existing = Period.objects.filter(ladder__in=selected).select_related("rule")
    existing = existing if from_time is None else existing.filter(ends_at__gt=from_time)
    periods = list(existing)
    methods = [build_method(rule) for ladder in selected for rule in load_ladder_rules(ladder)]
    start = None if from_time is None else min([from_time, *(period.starts_at for period in periods)])
    if lines is not None:
        rated_games = build_rated_games(league, lines, scores=any(method.reads_scores for method in methods))
    else:
        rated_games = read_for(methods, league, start)
    for ladder in selected:
        ladder_periods = [period for period in existing if period.ladder_id == ladder.pk]
        periods += make_periods(
            league,
            ladder,
            ladder_periods,
            rated_games.at if from_time is None else rated_games.at[rated_games.edges([from_time])[0] :],
        )
    if start is not None and any(period.starts_at < start for period in periods):
        # A period was missing although it has games before the time.
        rated_games = read_for(methods, league, min(period.starts_at for period in periods))
    differed = write_standings(rated_games, periods)
    # The closure of a closed period with unchanged standings is known; computing its digest would be slow.
    refresh_closure(
        periods
        if from_time is None
        else [known_period for known_period in periods if not known_period.closed or known_period in differed]
    )


def read_for(methods: Iterable[Method], league: League, start: datetime | None) -> RatedGames:
    """Read the rated games from a time with the columns that these methods need."""
    return read_rated_games(league, start, scores=any(method.reads_scores for method in methods))


#: The ladders of a league with their periods at a time, and whether these have editions.
KNOWN_PERIODS = """
SELECT {periods}, {rules}, EXISTS (SELECT 1 FROM league_edition e
                                    WHERE e.league_id = l.league_id AND e.ladder_id = l.id AND e.key = p.key)
  FROM league_ladder l
  LEFT JOIN league_period p
    ON p.league_id = l.league_id AND p.ladder_id = l.id AND p.starts_at <= %s AND p.ends_at > %s
  LEFT JOIN league_ladderrule r ON r.league_id = p.league_id AND r.id = p.rule_id
 WHERE l.league_id = %s
 ORDER BY l.id, p.starts_at
"""


def _load_known_periods(league: League, time: datetime) -> list[tuple[Period, bool]] | None:
    """Return the same as ``_load_or_create_periods_at``, each with whether it has an edition, in one query.

    None if a ladder has no period at that time, which may have to be created.
    """
    time_value = connection.ops.adapt_datetimefield_value(time)
    periods_by_ladder: dict[int, tuple[Period, bool]] = {}
    first, second = count_columns(Period), count_columns(Period) + count_columns(LadderRule)
    for row in execute_query(_build_known_periods_sql(), [time_value, time_value, league.pk]):
        if row[0] is None:
            return None
        period = make_object(Period, row[:first])
        period.rule = make_object(LadderRule, row[first:second])
        periods_by_ladder[period.ladder_id] = period, bool(row[-1])
    return list(periods_by_ladder.values())


@cache
def _build_known_periods_sql() -> str:
    """Return the query for the periods at a time."""
    return KNOWN_PERIODS.format(periods=format_select_list(Period, "p"), rules=format_select_list(LadderRule, "r"))


def _load_or_create_periods_at(league: League, time: datetime) -> list[Period]:
    """Return the periods that contain a time, at most one per ladder, creating missing ones."""
    ladders = load_ladders(league)
    if not ladders:
        return []
    existing = Period.objects.filter(ladder__in=ladders, starts_at__lte=time, ends_at__gt=time)
    periods_by_ladder = {period.ladder_id: period for period in existing.select_related("rule").order_by("starts_at")}
    for ladder in ladders:
        if ladder.pk in periods_by_ladder:
            continue
        span_and_rule = find_rule_and_span(
            ladder, load_ladder_rules(ladder), compute_local_date(time, league.time_zone)
        )
        if span_and_rule is not None:
            periods_by_ladder[ladder.pk] = open_period(league, ladder, *span_and_rule)
    return [periods_by_ladder[ladder.pk] for ladder in ladders if ladder.pk in periods_by_ladder]


def make_periods(league: League, ladder: Ladder, existing: Sequence[Period], times: Column) -> list[Period]:
    """Create the missing periods of a ladder that contain these times (ascending), and return them."""
    rules = load_ladder_rules(ladder)
    latest = sorted(existing, key=lambda period: period.starts_at, reverse=True)
    created: list[Period] = []
    position = 0
    while position < len(times):
        time = convert_to_datetime(times[position])
        period = next((other for other in latest if other.starts_at <= time < other.ends_at), None)
        if period is None:
            day = compute_local_date(time, league.time_zone)
            span_and_rule = find_rule_and_span(ladder, rules, day)
            if span_and_rule is not None:
                period = open_period(league, ladder, *span_and_rule)
                created.append(period)
        if period is not None:
            end = period.ends_at
        else:
            # No period contains this day; a known one, opened in another time zone, may begin within it.
            later = [other.starts_at for other in latest if other.starts_at > time]
            end = min([start_of_day(day + timedelta(days=1), league.time_zone), *later])
        position += int(times[position:].searchsorted(convert_to_micros(end)))
    return created


def open_period(league: League, ladder: Ladder, rule: LadderRule, span: Span) -> Period:
    """Create a period; its times are fixed from then on."""
    period = build_period(league, ladder, rule, span)
    period.save(force_insert=True)
    return period


def build_period(league: League, ladder: Ladder, rule: LadderRule, span: Span) -> Period:
    """Return an unsaved period; its times are resolved in the league's current time zone."""
    starts_at, ends_at = compute_bounds(span, league.time_zone)
    return Period(
        league=league, ladder=ladder, rule=rule, key=span.key, title=span.title, starts_at=starts_at, ends_at=ends_at
    )


def open_current(league: League, ladder: Ladder, now: datetime) -> Period | None:
    """Open the current period of a ladder, if there is one and it is not open yet; raises UnknownZone."""
    span_and_rule = find_rule_and_span(ladder, load_ladder_rules(ladder), compute_local_date(now, league.time_zone))
    if span_and_rule is None or ladder.periods.filter(starts_at__lte=now, ends_at__gt=now).exists():
        return None
    return open_period(league, ladder, *span_and_rule)


def write_standings(rated_games: RatedGames, periods: Sequence[Period]) -> list[Period]:
    """Update the standings of periods from all their rated games; return the periods that differed."""
    differed: set[int] = set()
    for ladder_periods, rows in compute_standings(rated_games, periods):
        differed |= write_rows(ladder_periods, rows)
    return [period for period in periods if period.pk in differed]


def compute_standings(rated_games: RatedGames, periods: Sequence[Period]) -> Iterator[tuple[list[Period], Rows]]:
    """Yield the standings of periods, grouped by rule; ``rated_games`` must contain all their games."""
    for _, group in groupby(sorted(periods, key=lambda period: (period.rule_id, period.starts_at)), get_rule_key):
        group_periods = list(group)
        method = build_method(group_periods[0].rule)
        yield (
            group_periods,
            build_standing_rows(
                group_periods,
                tabulate_periods(rated_games, method, [(period.starts_at, period.ends_at) for period in group_periods]),
            ),
        )


def get_rule_key(period: Period) -> int:
    """Return the key of the rule that ranks a period."""
    return period.rule_id


def rank_players(league: League, periods: Sequence[Period], players: Sequence[int], rules: Sequence[Rule]) -> None:
    """Write the standings of the players of the newest game in its periods, computed from their own games."""
    rated_games = read_games_of(league, players, min(period.starts_at for period in periods), rules)
    tallies_by_key: dict[tuple[int, int], Tally] = {}
    for period in periods:
        tallies = compute_tallies(rated_games, build_method(period.rule), (period.starts_at, period.ends_at))
        tallies_by_key |= {(period.pk, player): tallies[player] for player in players}
    rows = [(league.pk, *row) for row in iter_standing_rows(tallies_by_key)]
    insert_few(Standing, COLUMN_NAMES, rows, over=("league_id", "period_id", "player_id"))


def iter_standing_rows(tallies: Mapping[tuple[int, int], Tally]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of standings."""
    for (period, player), tally in tallies.items():
        values = [*tally.values, *([None] * (len(VALUES) - len(tally.values)))]
        yield (period, player, tally.score, tally.games, tally.why_not, *values)


def build_standing_rows(periods: Sequence[Period], tabulated: Iterable[tuple[Records, Tallies]]) -> Rows:
    """Return tallies as rows; ``Records.period`` are positions in ``periods``."""
    keys = np.array([period.pk for period in periods], dtype=np.int64)
    codes_by_message: dict[str, int] = {"": 0}
    names = ("period", "player", "games", "why_not", *FIGURES)
    columns_by_name: dict[str, list[Column]] = {
        name: [np.empty(0, np.float64 if name in FIGURES else np.int64)] for name in names
    }
    for records, tallies in tabulated:
        codes = np.array([codes_by_message.setdefault(message, len(codes_by_message)) for message in tallies.sentences])
        missing_values = np.broadcast_to(np.nan, len(records))
        columns = [tallies.score, *tallies.values, *[missing_values] * (len(VALUES) - len(tallies.values))]
        key_columns = [keys[records.period], records.player, tallies.games, codes[tallies.why_not]]
        for name, values in zip(names, [*key_columns, *columns], strict=True):
            columns_by_name[name].append(values)
    joined = {name: np.concatenate(columns_by_name.pop(name)) for name in names}
    values_by_name = {name: joined[name] for name in FIGURES}
    return Rows(
        joined["period"], joined["player"], joined["games"], values_by_name, joined["why_not"], tuple(codes_by_message)
    )


def write_rows(periods: Sequence[Period], rows: Rows) -> set[int]:
    """Make the stored standings of these periods equal to the rows; return the keys of periods that differed."""
    pks, stored = load_stored_rows(periods, rows.sentences)
    computed = {"league": np.full(len(rows), periods[0].league_id), **rows.columns()}
    computed_unchanged, stored_unchanged = make_equal(
        _build_table_shape(rows), {"pk": pks, **stored.columns()}, computed, find_stored_standings(periods)
    )
    return {
        *np.unique(stored.period[~stored_unchanged]).tolist(),
        *np.unique(rows.period[~computed_unchanged]).tolist(),
    }


def find_stored_standings(periods: Sequence[Period]) -> QuerySet[Standing]:
    """Return the stored standings of periods of one league, unordered."""
    return Standing.objects.filter(league=periods[0].league_id, period__in=periods).order_by()


def load_stored_rows(
    periods: Sequence[Period], messages: Sequence[str], values: int = len(VALUES)
) -> tuple[Column, Rows]:
    """Return keys and rows of the stored standings; the code of a sentence not in ``messages`` is -1.

    ``values``: the number of figures to read in addition to the score; the others are NaN.
    """
    code = Case(
        *(When(why_not=message, then=Value(index)) for index, message in enumerate(messages)),
        default=Value(-1),
        output_field=IntegerField(),
    )
    value_names = FIGURES[: 1 + values]
    columns = read_apart(
        find_stored_standings(periods).values_list("pk", "period_id", "player_id", "games", code, *value_names),
        pk="key", period="key", player="key", games="whole", why_not="whole", **dict.fromkeys(value_names, "float"),
    )  # fmt: skip
    missing_values = np.broadcast_to(np.nan, len(columns["pk"]))
    values_by_name = {name: columns.get(name, missing_values) for name in FIGURES}
    stored = Rows(
        columns["period"], columns["player"], columns["games"], values_by_name, columns["why_not"], tuple(messages)
    )
    return columns["pk"], stored


def match_stored_rows(stored: Rows, rows: Rows) -> tuple[Column, Column]:
    """Return which rows are stored bit for bit (NaN is no value), and which stored rows match."""
    return match_rows(_build_table_shape(rows), stored.columns(), rows.columns())


def _build_table_shape(rows: Rows) -> TableShape:
    """Return the table shape for comparing rows with stored ones, and writing them."""
    return TableShape(
        Standing, ("period", "player"), ("games", "why_not", *FIGURES), KINDS, {"why_not": rows.sentences}
    )


def refresh_closure(periods: Sequence[Period], digests: Mapping[int, str] | None = None) -> None:
    """Update from editions and decisions whether periods are closed and whether they await a decision.

    ``digests``: of their current rankings, by period key, if known.
    """
    series = index_editions_by_period(periods)
    for period in periods:
        edition = series.get((period.ladder_id, period.key))
        state = (False, False)
        if edition is not None:
            decisions = Decision.objects.filter(ladder=period.ladder_id, key=period.key, edition=edition.number)
            state = compute_closure(
                edition, decisions.order_by("at", "pk"), partial(compute_current_digest, period, digests)
            )
        if state != (period.closed, period.awaits):
            period.closed, period.awaits = state
            period.save(update_fields=["closed", "awaits"])


def compute_current_digest(period: Period, digests: Mapping[int, str] | None) -> str:
    """Return the SHA-256 of a period's current ranking, computing it if not known."""
    return (digests or {}).get(period.pk) or compute_standings_digest(load_live_rows(period))


def compute_closure(edition: Edition, decisions: Iterable[Decision], digest: Callable[[], str]) -> tuple[bool, bool]:
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


def index_editions_by_period(periods: Sequence[Period]) -> dict[tuple[int, str], Edition]:
    """Return the last edition of each period that has one, without documents."""
    ladders, keys = {period.ladder_id for period in periods}, {period.key for period in periods}
    editions = Edition.objects.filter(ladder__in=ladders, key__in=keys).defer("document").order_by("number")
    return {(edition.ladder_id, edition.key): edition for edition in editions}


def compute_standings_digest(rows: Sequence[Row]) -> str:
    """Return the SHA-256 of a ranking's canonical JSON, without names, as players may be renamed."""
    payload = [{key: value for key, value in row.items() if key != "name"} for row in rows]
    return hashlib.sha256(serialize_canonically(payload).encode()).hexdigest()
