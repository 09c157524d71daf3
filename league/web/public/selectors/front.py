"""Summaries of leagues: the top of the board with its last scores, the last evening, numbers of players and games.

Each query covers all leagues of a page; the first rows of each league come from one UNION.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import Count, F, OuterRef, Prefetch, QuerySet, Subquery
from django.db.models.expressions import RawSQL

from league.core.calendar import compute_previous_evening_end, is_day_only, start_of_day
from league.core.db.statements import execute_query, parse_timestamp
from league.core.finish import Finisher, list_finishers
from league.core.games.selectors.games import compute_evening_day
from league.core.leaderboard.selectors.current_board import (
    FIELDS,
    FORWARDS,
    BoardRow,
    build_listing,
    complete,
    find_listed_ratings,
    row_of,
)
from league.core.rules.selectors.rules import (
    ShownRatings,
    build_rule_system,
    build_system_at,
    find_last_system_change,
    find_rule_at,
    list_system_changes,
    load_rules_by_league,
    load_shown_ratings,
)
from league.core.text.display_formats import get_known_zone_name
from league.core.text.names import isolate_direction
from league.models import Game, League, Rating, Result, Rule
from league.web.public.game_titles import name_game
from ratings.columns.tallies import rank_sorted_values
from ratings.contract.system import RatingSystem

#: Number of top players shown, maximum number of games of the last evening, and of the games in a player's line.
TOP, LAST, LINE_GAMES = 3, 5, 30


@dataclass(frozen=True)
class FinishedGame:
    """A game with its lines in finishing order."""

    game: Game
    lines: list[Finisher]

    @property
    def winners(self) -> list[Finisher]:
        """Return the winners; none if all players tie."""
        return [line for line in self.lines if line.winner]

    @property
    def as_one(self) -> bool:
        """Return whether the winners are partners on one side."""
        return len(self.winners) > 1 and self.winners[0].won

    @property
    def title(self) -> str:
        """Return who won, or what else came out."""
        return name_game(self.game, self.lines)

    @property
    def names(self) -> str:
        """Return the names of the winners."""
        return ", ".join(isolate_direction(line.result.player.name) for line in self.winners)


@dataclass(frozen=True)
class LastEvening:
    """The games of a league's last evening, latest first; ``more`` if there are further games.

    ``starts_at`` separates the games of this evening from all earlier ones.
    """

    day: date
    starts_at: datetime
    games: list[FinishedGame]
    more: bool


@dataclass(frozen=True)
class ScoreLine:
    """A top player's scores after the last days of play, earliest first."""

    name: str
    points: list[tuple[datetime, float]]


@dataclass(frozen=True)
class Front:
    """A summary of a league. ``players``: those with a rating. ``games``: those that are not void.

    ``evening_games``: the number of games of the last evening.
    """

    league: League
    rule: Rule | None
    system: RatingSystem | None
    players: int
    games: int
    top: list[BoardRow]
    lines: list[ScoreLine]
    evening: LastEvening | None
    evening_games: int


def sort_by_last_game(leagues: QuerySet[League]) -> QuerySet[League]:
    """Order leagues by their last rated game, latest first; leagues without games come last, by title."""
    played = Game.objects.rated().filter(league=OuterRef("pk"))
    last = Subquery(played.order_by("-played_at", "-order_key", "-number").values("played_at")[:1])
    return leagues.annotate(last_game_at=last).order_by(F("last_game_at").desc(nulls_last=True), "title", "slug")


def load_fronts(leagues: Sequence[League], now: datetime) -> list[Front]:
    """Return the summaries of leagues in their order, in at most eight queries."""
    rules = load_rules_by_league(leagues)
    present = {league.pk: find_rule_at(rules.get(league.pk, []), now) for league in leagues}
    ratings_by_league = {
        league.pk: load_shown_ratings(league, of_league)
        if list_system_changes(of_league := rules[league.pk])
        else ShownRatings(build_rule_system(rule), {})
        for league in leagues
        if (rule := present[league.pk])
    }
    rated = Rating.objects.filter(league__in=leagues).order_by()
    players, games = dict(rated.values_list("league").annotate(players=Count("pk"))), count_games(leagues)
    tops, evenings = _load_top_rows(leagues, now, ratings_by_league), _load_last_evenings(leagues, rules)
    lines, evening_games = _load_score_lines(tops, ratings_by_league, rules, now), _count_evening_games(evenings)
    return [
        Front(
            league,
            present[league.pk],
            ratings_by_league[league.pk].system if league.pk in ratings_by_league else None,
            players.get(league.pk, 0),
            games[league.pk],
            tops.get(league.pk, []),
            lines.get(league.pk, []),
            evenings.get(league.pk),
            evening_games.get(league.pk, 0),
        )
        for league in leagues
    ]


def count_games(leagues: Sequence[League]) -> dict[int, int]:
    """Return the number of games by league id: numbers are gapless, so only void games are counted."""
    void = Game.objects.filter(league__in=leagues, voided_at__isnull=False).order_by()
    counts = dict(void.values_list("league").annotate(games=Count("pk")))
    return {league.pk: league.last_number - counts.get(league.pk, 0) for league in leagues}


def _load_top_rows(
    leagues: Sequence[League], now: datetime, ratings_by_league: Mapping[int, ShownRatings]
) -> dict[int, list[BoardRow]]:
    """Return the first rows of the board, with ranks, by league id."""
    firsts = [
        find_listed_ratings(league, build_listing(league, now)).order_by(*FORWARDS).values_list(*FIELDS, "league")[:TOP]
        for league in leagues
    ]
    rows_by_league: dict[int, list[BoardRow]] = {}
    for row in execute_query(*_unite(firsts)) if firsts else []:
        rows_by_league.setdefault(row[-1], []).append(row_of(row[:-1]))
    for pk, rows in rows_by_league.items():
        rows.sort(key=lambda row: (-row.score, -row.rating, row.handle))
        if pk in ratings_by_league:
            complete(ratings_by_league[pk], rows, rank_sorted_values([row.score for row in rows]).tolist())
    return rows_by_league


def _unite(queries: Iterable[QuerySet[Any, Any]]) -> tuple[str, list[Any]]:
    """Return one statement of queries that have orders and limits of their own, and its values."""
    parts = [query.query.sql_with_params() for query in queries]
    arms = [f"SELECT * FROM ({sql}) AS t" for sql, _ in parts]  # noqa: S608 -- the ORM's own text
    return " UNION ALL ".join(arms), [value for _, values in parts for value in values]


#: The last games of a player since a time; the key (league, player, games, step) is an index.
PLAYER_LINE = """
SELECT c.league_id, c.player_id, c.at, c.games, c.after, c.state_1, c.state_2, c.state_3 FROM league_ratingchange c
 WHERE c.league_id = %s AND c.player_id = %s AND c.games > %s AND c.step = 1"""


def _load_score_lines(
    tops: Mapping[int, Sequence[BoardRow]],
    ratings_by_league: Mapping[int, ShownRatings],
    rules: Mapping[int, Sequence[Rule]],
    now: datetime,
) -> dict[int, list[ScoreLine]]:
    """Return the lines of the top players by league id; scores of an earlier rating system are omitted."""
    players = [(pk, row) for pk, rows in tops.items() if pk in ratings_by_league for row in rows]
    values = [value for pk, row in players for value in (pk, row.player, row.games - LINE_GAMES)]
    points: dict[tuple[int, int], dict[date, tuple[datetime, float]]] = {}
    changes = {pk: find_last_system_change(rules[pk], now) for pk in ratings_by_league}
    # The statement's rows are not ordered.
    found = execute_query(" UNION ALL ".join([PLAYER_LINE] * len(players)), values) if players else []
    for pk, player, stored_at, games, *state in sorted(found, key=lambda row: row[:4]):
        at, change, shown = parse_timestamp(stored_at), changes[pk], ratings_by_league[pk]
        if at is not None and (change is None or at >= change.starts_at):
            score = shown.system.display(state, games - shown.earlier.get(player, 0))
            points.setdefault((pk, player), {})[at.date()] = (at, score)  # the last one of a day remains
    lines: dict[int, list[ScoreLine]] = {}
    for pk, row in players:
        lines.setdefault(pk, []).append(ScoreLine(row.name, list(points.get((pk, row.player), {}).values())))
    return lines


def _load_last_evenings(leagues: Sequence[League], rules: Mapping[int, Sequence[Rule]]) -> dict[int, LastEvening]:
    """Return the last evening by league id; leagues without games are omitted.

    Only rated games count: a bye or friendly is not an evening.
    """
    newest_games = [Game.objects.rated().filter(league=league).values("pk")[: LAST + 1] for league in leagues]
    newest = RawSQL(*_unite(newest_games))  # noqa: S611 -- the ORM's own text
    results = Prefetch("results", Result.objects.select_related("player").order_by("seat"))
    games_by_league: dict[int, list[Game]] = {}
    for game in Game.objects.filter(pk__in=newest).prefetch_related(results) if leagues else ():
        games_by_league.setdefault(game.league_id, []).append(game)
    return {
        league.pk: build_evening(league, games_by_league[league.pk], rules.get(league.pk, []))
        for league in leagues
        if league.pk in games_by_league
    }


def _count_evening_games(evenings: Mapping[int, LastEvening]) -> dict[int, int]:
    """Return the number of games of evenings by league id; only those that are not loaded whole are counted."""
    longer = [
        Game.objects.rated()
        .filter(league=pk, played_at__gte=evening.starts_at)
        .order_by()
        .values("league")
        .annotate(games=Count("pk"))
        .values_list("league", "games")
        for pk, evening in evenings.items()
        if evening.more
    ]
    counts = {pk: len(evening.games) for pk, evening in evenings.items()}
    return counts | dict(execute_query(*_unite(longer)) if longer else ())


def load_last_games(league: League, rules: Sequence[Rule], limit: int) -> list[FinishedGame]:
    """Return the last games of a league that are not void, latest first."""
    results = Prefetch("results", Result.objects.select_related("player").order_by("seat"))
    games = Game.objects.counting().filter(league=league).prefetch_related(results)
    return [build_finished_game(game, rules) for game in games[:limit]]


def load_last_evening(league: League, rules: Sequence[Rule]) -> LastEvening | None:
    """Return the last evening of a league; None if there are no games."""
    return _load_last_evenings([league], {league.pk: rules}).get(league.pk)


def build_evening(league: League, games: Sequence[Game], rules: Sequence[Rule]) -> LastEvening:
    """Return the evening of the latest of some games; ``games`` are the league's last ones, latest first."""
    day = compute_evening_day(league, games[0].played_at)
    day_games = [game for game in games if compute_evening_day(league, game.played_at) == day]
    zone = get_known_zone_name(league.time_zone)
    # An evening lasts until the early morning; games recorded without a time count from the start of the day.
    whole_day = any(is_day_only(game.played_at, zone) for game in day_games)
    starts_at = min(
        start_of_day(day, zone) if whole_day else compute_previous_evening_end(day, zone),
        *(game.played_at for game in day_games),
    )
    return LastEvening(
        day, starts_at, [build_finished_game(game, rules) for game in day_games[:LAST]], len(day_games) > LAST
    )


def build_finished_game(game: Game, rules: Sequence[Rule]) -> FinishedGame:
    """Return a game with its lines in finishing order, by the rule in force when it was played."""
    return FinishedGame(game, list_finishers(list(game.results.all()), build_system_at(rules, game.played_at)))
