"""The champions' plate of a closed period: its first three ranks on steps, and the last period's with its race."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from django.db.models import Q

from league.core.ladders.selectors.ladders import Row, find_period, list_edition_rows, load_published_periods
from league.core.ladders.selectors.races import FIRST, load_race
from league.core.leaderboard.selectors.current_board import State
from league.core.text.display_formats import format_number
from league.models import League, Rule
from league.web.public.charts.plots import APART
from league.web.public.charts.races import draw_race
from ratings.contract.method import Method
from ratings.texts import round_as_printed

#: The lowest rank with a step.
LOWEST_RANK = 3
#: Maximum number of names on a step; more are counted.
MAX_NAMES = 3


@dataclass(frozen=True)
class Step:
    """A step of the plate: the players (handle, name) who share a rank, their score, and what led to it."""

    rank: int
    players: list[tuple[str, str]]
    more: int
    """Number of further players of this rank."""
    score: str
    games: int | None
    """Number of games of a player who has the rank alone."""
    lead: str
    """By how much the score is better than the next one; "" if nobody is below, or a tie-break decides."""
    label: str = ""
    """What the score is, if it could be read as a year: four digits without decimals; "" for others."""


def build_plate(method: Method, rows: Sequence[Row]) -> list[Step]:
    """Return the steps of a ranking, best first, whole scores without decimals; none if no player is ranked."""
    ranked = [row for row in rows if row["rank"] is not None and row["rank"] <= LOWEST_RANK]
    decimals = 0 if all(round_as_printed(row["score"], method.decimals) % 1 == 0 for row in ranked) else method.decimals
    label = method.score_label if not decimals and any(len(f"{row['score']:.0f}") == 4 for row in ranked) else ""
    steps = []
    for rank, tied_rows in groupby(ranked, key=lambda row: row["rank"]):
        tied = list(tied_rows)
        players = [(row["player"], row["name"]) for row in tied]
        first = tied[0]
        behind = next((row for row in ranked if row["rank"] > rank), None)
        is_ahead = behind is not None and behind["score"] != first["score"]
        lead = format_number(abs(first["score"] - behind["score"]), decimals) if behind and is_ahead else ""
        games = first["games"] if len(tied) == 1 else None
        steps.append(
            Step(
                rank,
                players[:MAX_NAMES],
                len(players[MAX_NAMES:]),
                format_number(first["score"], decimals),
                games,
                lead,
                label,
            )
        )
    return steps


def build_last_period(
    league: League,
    rules: Sequence[Rule],
    state: State | None = None,
    *,
    behind_plate: bool = False,
    names_apart: float = APART,
) -> dict[str, Any] | None:
    """Return the last closed period of a league that was won, with its plate and race; None without one.

    behind_plate: the race is of the players behind those named on the plate.
    """
    published = next(iter(load_published_periods(Q(league=league) & ~Q(winners=[]), 1)), None)
    if published is None:
        return None
    edition, method = published
    period, rows = find_period(edition.ladder, edition.key), list_edition_rows(edition)
    plate = build_plate(method, rows)
    named = {handle for step in plate for handle, _name in step.players} if behind_plate else set()
    race = load_race(league, period, rows, rules, state=state, max_runners=FIRST + len(named)).race
    if race and named:
        runners = [runner for runner in race.runners if runner.handle not in named]
        race = replace(race, runners=runners) if runners else None
    return {
        "published": published,
        "period": period,
        "ladder": edition.ladder,
        "plate": plate,
        "race": draw_race(period, method, race, rows, names_apart) if race else None,
    }
