"""What is told of an evening, a published period, decisions that are due, a failed import: facts, in no language."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from django.db.models import Count, Sum

from league.apps.notices.selectors.evenings import games_of_evening
from league.apps.notices.selectors.nearby_ranks import adjustments_told, seasons_told
from league.core.games.selectors.finish import finishers
from league.core.games.selectors.games import ShownGame, evening_end, load_games, of_evening
from league.core.ladders.selectors.ladders import method_of
from league.core.ladders.selectors.standings import edition_rows
from league.core.leaderboard.selectors.listing import listing_of
from league.core.leaderboard.selectors.pages import board_page
from league.core.leaderboard.selectors.past import leaderboard_at
from league.core.leaderboard.selectors.rows import BoardRow
from league.core.leagues.selectors.rules import decimals_of, rules_of, system_at
from league.models import Edition, Job, League, Period, Rating, RatingChange

#: Games of an evening, people with what it did to them, rows of a board or ranking, periods: so many are told.
MAX_GAMES, MAX_PEOPLE, TOP, MAX_PERIODS = 25, 15, 3, 12
#: In leagues of more people the board before and after the evening is not made, only read as it is.
MAX_RECOMPUTED_PEOPLE = 2000


def evening_facts(league: League, day: date, before: date | None = None) -> dict[str, Any]:
    """Return what is told of an evening that has games: these, what they did to people, and the top of the board.

    And what moved people beside the games since the evening told last, or since the one before that is told together
    with it, so that the sums come out.
    """
    games = games_of_evening(league, day)
    found = load_games(league, games[:MAX_GAMES])
    lines = RatingChange.objects.filter(of_evening(league, day, "at"), league=league, step=1)
    sums = lines.order_by().values("player__name", "player__handle").annotate(change=Sum("change"), games=Count("pk"))
    moved = [
        {"name": one["player__name"], "change": one["change"], "games": one["games"]}
        for one in sums.order_by("-change", "player__handle")
    ]
    first, after = tops(league, found[0].game.played_at, evening_end(league, day))
    adjusted = adjustments_told(league, day, before)
    return {
        "day": day.isoformat(),
        "count": games.count(),
        "people": games.order_by().values("results__player").distinct().count(),
        "sheets": [sheet_facts(league, one) for one in found],
        "moved": len(moved),
        "movers": ends_of(moved),
        "adjusted": len(adjusted),
        "adjustments": adjusted[-MAX_PEOPLE:],
        "seasons": [
            {**one, "played": len(one["people"]), "people": ends_of(one["people"])} for one in seasons_told(league, day)
        ],
        "top": [{"rank": row.rank, "name": row.name, "score": row.score} for row in after],
        "before": [row.name for row in first if row.rank == 1],
        "decimals": decimals_of(league),
    }


def sheet_facts(league: League, game: ShownGame) -> dict[str, Any]:
    """Return what is told of a game."""
    system = system_at(rules_of(league), game.game.played_at)
    found = {line.result.pk: line for line in finishers([one.result for one in game.results], system)}
    return {
        "number": game.game.number,
        "lines": [
            {
                "name": one.result.player.name,
                "score": one.result.score,
                "place": one.result.place,
                "won": found[one.result.pk].won,
                "winner": found[one.result.pk].winner,
            }
            for one in game.results
        ],
    }


def ends_of(people: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return of many people those who gained most and those who lost most."""
    half = MAX_PEOPLE // 2
    return people if len(people) <= MAX_PEOPLE else [*people[: MAX_PEOPLE - half], *people[-half:]]


def tops(league: League, start: datetime, end: datetime) -> tuple[list[BoardRow], list[BoardRow]]:
    """Return the top of the board before an evening and after it; of a very large league only as it is now."""
    if Rating.objects.filter(league=league).count() > MAX_RECOMPUTED_PEOPLE:
        return [], board_page(league, listing_of(league, end), TOP).rows
    before, after = (leaderboard_at(league, listing_of(league, moment), moment)[:TOP] for moment in (start, end))
    return before, after


def period_facts(edition: Edition) -> dict[str, Any]:
    """Return what is told of a published period, as its edition says it."""
    rows = [row for row in edition_rows(edition) if row["rank"] is not None and row["rank"] <= TOP]
    period = Period.objects.select_related("rule").filter(ladder=edition.ladder_id, key=edition.key).first()
    return {
        "ladder": edition.ladder.title,
        "slug": edition.ladder.slug,
        "period": edition.key,
        "edition": edition.number,
        "reason": edition.reason,
        "rows": [{name: row[name] for name in ("rank", "name", "score", "games")} for row in rows[: 2 * TOP]],
        "winners": [one["name"] for one in edition.winners],
        "decimals": 2 if period is None else method_of(period.rule).decimals,
    }


def import_facts(job: Job) -> dict[str, Any]:
    """Return what is told of a failed import.

    What the site's staff imports is refused in sentences that may name people whom the league's own may not see: of
    these only the lines are told.
    """
    problem: dict[str, Any] = job.problem or {}
    viewer = job.arguments.get("viewer")
    errors = problem.get("errors", [])
    first = next((one for one in errors if one.get("line") is not None), errors[0] if errors else {})
    return {
        "by": job.asked_by,
        "line": first.get("line"),
        "problems": len(errors),
        "refusal": (first.get("detail") or problem.get("detail", "")) if viewer and viewer["roles"] is not None else "",
    }


def decision_facts(periods: Sequence[Period], reports: int) -> dict[str, Any]:
    """Return what is told of closed periods that await a decision, how many and the last of them, and of reports."""
    return {
        "count": len(periods) + reports,
        "reports": reports,
        "periods": [{"ladder": one.ladder.title, "period": one.key} for one in periods[-MAX_PERIODS:]],
    }
