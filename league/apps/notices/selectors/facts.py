"""The facts of notices, without language: evenings, published periods, decisions due, failed imports."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from django.db.models import Count, Sum

from league.apps.notices.selectors.evenings import find_games_of_evening
from league.apps.notices.selectors.nearby_ranks import load_adjustment_news, load_season_news
from league.core.finish import list_finishers, read_game_of_two
from league.core.games.selectors.games import ShownGame, build_evening_condition, compute_evening_end, load_games
from league.core.ladders.selectors.ladders import list_edition_rows
from league.core.ladders.selectors.tallies import build_method
from league.core.leaderboard.selectors.current_board import BoardRow, build_listing
from league.core.leaderboard.selectors.pages import load_board_page
from league.core.leaderboard.selectors.past import compute_leaderboard_at
from league.core.rules.selectors.rules import build_system_at, load_decimals, load_rules
from league.models import Edition, Job, League, Period, Rating, RatingChange

#: Maximum number of games, players, ranks and periods in a notice.
MAX_GAMES, MAX_PEOPLE, MAX_TOP_RANK, MAX_PERIODS = 25, 15, 3, 12
#: In leagues with more players, the board before and after the evening is not computed, only the current one.
MAX_RECOMPUTED_PEOPLE = 2000


def build_evening_facts(league: League, day: date, previous_day: date | None = None) -> dict[str, Any]:
    """Return the facts of an evening: games, rating changes, adjustments and the top of the board.

    Adjustments are those since the last announced evening, or since ``previous_day``, an evening announced together
    with it.
    """
    games = find_games_of_evening(league, day)
    displayed_games = load_games(league, games[:MAX_GAMES])
    changes = RatingChange.objects.filter(build_evening_condition(league, day, "at"), league=league, step=1)
    sums = changes.order_by().values("player__name", "player__handle").annotate(change=Sum("change"), games=Count("pk"))
    totals = [
        {"name": entry["player__name"], "change": entry["change"], "games": entry["games"]}
        for entry in sums.order_by("-change", "player__handle")
    ]
    top_before, top_after = _load_tops(league, displayed_games[0].game.played_at, compute_evening_end(league, day))
    adjustments = load_adjustment_news(league, day, previous_day)
    return {
        "day": day.isoformat(),
        "count": games.count(),
        "people": games.order_by().values("results__player").distinct().count(),
        "sheets": [build_game_facts(league, entry) for entry in displayed_games],
        "moved": len(totals),
        "movers": _select_extremes(totals),
        "adjusted": len(adjustments),
        "adjustments": adjustments[-MAX_PEOPLE:],
        "seasons": [
            {**entry, "played": len(entry["people"]), "people": _select_extremes(entry["people"])}
            for entry in load_season_news(league, day)
        ],
        "top": [{"rank": row.rank, "name": row.name, "score": row.score} for row in top_after],
        "before": [row.name for row in top_before if row.rank == 1],
        "decimals": load_decimals(league),
    }


def build_game_facts(league: League, game: ShownGame) -> dict[str, Any]:
    """Return the facts of a game."""
    system = build_system_at(load_rules(league), game.game.played_at)
    finishes = {line.result.pk: line for line in list_finishers([entry.result for entry in game.results], system)}
    pair = read_game_of_two(game.results)
    return {
        "number": game.game.number,
        "sides": pair
        and [
            {
                "names": [line.result.player.name for line in side],
                "score": side[0].result.score,
                "place": side[0].result.place,
            }
            for side in pair.sides
        ],
        "lines": [
            {
                "name": entry.result.player.name,
                "score": entry.result.score,
                "place": entry.result.place,
                "won": finishes[entry.result.pk].won,
                "winner": finishes[entry.result.pk].winner,
            }
            for entry in game.results
        ],
    }


def _select_extremes(players: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the players with the largest gains and losses, if there are too many."""
    half = MAX_PEOPLE // 2
    return players if len(players) <= MAX_PEOPLE else [*players[: MAX_PEOPLE - half], *players[-half:]]


def _load_tops(league: League, start: datetime, end: datetime) -> tuple[list[BoardRow], list[BoardRow]]:
    """Return the top of the board before and after an evening; of a large league only the current one."""
    if Rating.objects.filter(league=league).count() > MAX_RECOMPUTED_PEOPLE:
        return [], load_board_page(league, build_listing(league, end), MAX_TOP_RANK).rows
    before, after = (
        compute_leaderboard_at(league, build_listing(league, time), time)[:MAX_TOP_RANK] for time in (start, end)
    )
    return before, after


def build_period_facts(edition: Edition) -> dict[str, Any]:
    """Return the facts of a published period, from its edition."""
    rows = [row for row in list_edition_rows(edition) if row["rank"] is not None and row["rank"] <= MAX_TOP_RANK]
    period = Period.objects.select_related("rule").filter(ladder=edition.ladder_id, key=edition.key).first()
    return {
        "ladder": edition.ladder.title,
        "slug": edition.ladder.slug,
        "period": edition.key,
        "edition": edition.number,
        "reason": edition.reason,
        "rows": [{name: row[name] for name in ("rank", "name", "score", "games")} for row in rows[: 2 * MAX_TOP_RANK]],
        "winners": [winner["name"] for winner in edition.winners],
        "decimals": 2 if period is None else build_method(period.rule).decimals,
    }


def build_import_facts(job: Job) -> dict[str, Any]:
    """Return the facts of a failed import.

    Errors of imports by the site's staff may name people whom the league's members may not see; only their lines are
    included.
    """
    problem: dict[str, Any] = job.problem or {}
    viewer = job.arguments.get("viewer")
    errors = problem.get("errors", [])
    first = next((error for error in errors if error.get("line") is not None), errors[0] if errors else {})
    return {
        "by": job.asked_by,
        "line": first.get("line"),
        "problems": len(errors),
        "refusal": (first.get("detail") or problem.get("detail", "")) if viewer and viewer["roles"] is not None else "",
    }


def build_decision_facts(periods: Sequence[Period], others: Mapping[str, int]) -> dict[str, Any]:
    """Return the number of decisions due, and the last of the closed periods.

    ``others``: the names of other models -> the number of rows that need a decision.
    """
    return {
        "count": len(periods) + sum(others.values()),
        "reports": others.get("report", 0),
        **({"competitions": others["competition"]} if others.get("competition") else {}),
        "periods": [{"ladder": period.ladder.title, "period": period.key} for period in periods[-MAX_PERIODS:]],
    }
