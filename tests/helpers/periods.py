"""Random but valid periods of a league, as a ladder's method sees them, and small ones written by hand."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

from ratings.columns.tallies import Records
from ratings.contract.method import Method, RatedLine, Tally, build_records, build_tallies

#: What people write on sheets, with ties, and the most extreme.
SCORES = (0.0, -0.0, 1.0, 0.5, -20.0, 7.25, 100.0, 1e9, -1e9, 5e-324, -5e-324)


#: A day as the times of games count it.
DAY = 86_400_000_000
#: The days, counted from the first game, on which the games of a period are played where a test does not say it.
DAYS = (0, 0, 1, 1.5, 3, 3, 10, 10.25, 17, 40, 41, 41, 60)


def period(
    games: Sequence[Sequence[RatedLine]],
    before: Mapping[int, float | None] | None = None,
    days: Sequence[float] | None = None,
) -> Records:
    """Return the records of everybody in the games, each given as its lines in seat order.

    ``days``: when each game is played; without them some follow each other at once, and some after weeks.
    """
    days = days or [DAYS[-1] * (number // len(DAYS)) + DAYS[number % len(DAYS)] for number in range(1, len(games) + 1)]
    return build_records(games, at=[int(day * DAY) for day in days], before=before)


def tally_of(rules: Method, records: Records) -> Tally:
    """Return the tally of the only player."""
    (tally,) = build_tallies(rules, records).values()
    return tally


def duel(one: int, other: int, score: float) -> tuple[RatedLine, RatedLine]:
    """Return a game of two: the first one scored so much of one point."""
    return RatedLine(one, score=score), RatedLine(other, score=1.0 - score)


def draw_lines(players: Sequence[int], random: Random) -> list[RatedLine]:
    """Draw a game: with scores, with places, with both, with neither, and with or without performances."""
    scores = [random.choice([*SCORES, random.gauss(0, 100)]) for _ in players]
    scored, placed, performed = random.random() < 0.8, random.random() < 0.5, random.random() < 0.9
    return [
        RatedLine(
            player,
            score=score if scored else None,
            place=1 + sum(other > score for other in scores) if placed else None,
            performance=random.choice([*SCORES, random.gauss(0, 100)]) if performed else None,
            after=random.choice([1000.0, random.uniform(-3000, 3000), float(random.randint(100, 3000))]),
            deviation=random.choice([0.0, 350.0, random.uniform(0, 350)]),
        )
        for player, score in zip(players, scores, strict=True)
    ]


def draw_games(random: Random, first: int = 0) -> list[list[RatedLine]]:
    """Draw the games of a period among players numbered from ``first`` on: mostly of two, at times a bye or more."""
    players = range(first, first + random.randint(2, 7))
    sizes = random.choices([1, 2, 3, 4], weights=[1, 12, 2, 2], k=random.randint(1, 25))
    counts = dict.fromkeys(players, random.randint(0, 30))
    games = []
    for size in sizes:
        lines = draw_lines(random.sample(players, min(size, len(players))), random)
        for line in lines:
            counts[line.player] += 1
        games.append([replace(line, games=counts[line.player]) for line in lines])
    return games


def draw_before(games: Sequence[Sequence[RatedLine]], random: Random) -> dict[int, float | None]:
    """Draw where everybody stood at the beginning; some were unrated."""
    players = sorted({line.player for lines in games for line in lines})
    unrated = random.choice([0.0, 0.0, 0.2])
    return {player: None if random.random() < unrated else random.uniform(-500, 3000) for player in players}
