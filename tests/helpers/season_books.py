"""Books with seasons and adjustments, worked out a second time from the facts."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from league.models import Adjustment, Game, GamelessChange, League, Rating, RatingChange
from tests.helpers.builders import FOUR, ratings, record, sheet

START = datetime(2024, 1, 5, 19, tzinfo=UTC)
NEVER = datetime(9999, 1, 1, tzinfo=UTC)
#: Two seasons a year, a third of the way to the start.
SEASON = {"days": ["03-01", "09-01"], "pull": 1 / 3}
TURNS = [datetime(year, month, 1, tzinfo=UTC) for year in (2024, 2025) for month in (3, 9)]


@dataclass
class SeasonBooks:
    """Elo of two with K 20, seasons and adjustments, as SYSTEMS.md and a calculator have it."""

    ratings: dict[str, float]
    lines: list[tuple[str, datetime, int, float, float]]
    """Player, time, number, before, after: of what no game made."""


def work_out_books(league: League, until: datetime = NEVER) -> SeasonBooks:
    """Work out the ratings of a league from its facts alone, from those before a moment."""
    played = Game.objects.filter(league=league, voided_at=None, played_at__lt=until)
    games: list[tuple[datetime, int, int, Any]] = [(game.played_at, 2, game.order_key, game) for game in played]
    last = max((game[0] for game in games), default=START - timedelta(days=1))
    turns = [(turn, 0, 0, None) for turn in TURNS if turn <= last]
    adjusted = Adjustment.objects.filter(league=league, voided_at=None, at__lt=until)
    moved = [(one.at, 1, one.number, one) for one in adjusted]
    now: dict[str, float] = {}
    lines = []
    for at, kind, number, fact in sorted([*games, *turns, *moved], key=lambda one: one[:3]):
        if kind == 2:
            first, second = fact.results.order_by("seat").values_list("player__handle", "score")
            mine, theirs = now.get(first[0], 1500.0), now.get(second[0], 1500.0)
            won = 1.0 if first[1] > second[1] else 0.0 if first[1] < second[1] else 0.5
            change = 20 * (won - 1 / (1 + 10 ** ((theirs - mine) / 400)))
            now[first[0]], now[second[0]] = mine + change, theirs - change
            continue
        for player in sorted(now) if kind == 0 else [fact.player.handle]:
            if player in now:
                after = now[player] + (fact.amount if kind else (1500.0 - now[player]) / 3)
                if after != now[player]:
                    lines.append((player, at, number, now[player], after))
                now[player] = after
    return SeasonBooks(now, lines)


def gameless(league: League) -> list[tuple[str, datetime, int, float, float]]:
    """Return what no game made, as the books have it."""
    lines = GamelessChange.objects.filter(league=league).order_by("at", "number", "player__handle")
    return list(lines.values_list("player__handle", "at", "number", "before", "after"))


def check_books(league: League) -> None:
    """Hold the books to the second implementation, and every player's history to be a chain."""
    told = work_out_books(league)
    assert ratings(league) == pytest.approx(told.ratings, abs=1e-9)
    found = gameless(league)
    assert [line[:3] for line in found] == [line[:3] for line in told.lines]
    assert [line[3:] for line in found] == [pytest.approx(line[3:], abs=1e-9) for line in told.lines]
    for handle in FOUR:
        chain = [
            (one.at, 1, one.order_key, one.step, one.before, one.after)
            for one in RatingChange.objects.filter(league=league, player__handle=handle)
        ]
        chain += [
            (one.at, 0, one.number, 0, one.before, one.after)
            for one in GamelessChange.objects.filter(league=league, player__handle=handle)
        ]
        lines = sorted(chain)
        assert all(one[5] == other[4] for one, other in pairwise(lines))
        if lines:
            assert Rating.objects.get(league=league, player__handle=handle).rating == lines[-1][5]


def play_any_game(league: League, random: Random, days: float) -> Game:
    """Record a game of two."""
    players = random.sample(FOUR, 2)
    scores = random.choice([(1, 0), (0, 1), (1, 1)])
    return record(league, sheet(players, scores, played_at=START + timedelta(days=days)))
