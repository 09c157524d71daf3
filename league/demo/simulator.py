"""Simulated clubs: players with a hidden skill who meet on club evenings. The results are deterministic.

Only ``random.Random.random`` is used, whose sequence is the same in every Python version, and only additions and
products, which give the same bits on every platform, unlike logarithms and cosines.
"""

import math
import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from league.core.games.services.game_input import NewGame, NewResult

#: Who loads the demo leagues, in the log.
BY = "demo"
#: How long an evening lasts at most: one that is not over has no games.
LENGTH = timedelta(hours=4)
TUESDAY, WEDNESDAY, THURSDAY = 1, 2, 3
FIRST_NAMES = (
    "Ada", "Bruno", "Clara", "Dario", "Elena", "Felix", "Greta", "Hugo", "Ines", "Jonas", "Klara", "Leo",
    "Mira", "Nils", "Olga", "Pavel", "Rosa", "Stefan", "Tara", "Ugo", "Vera", "Willem", "Yara", "Zoran",
)  # fmt: skip
FAMILY_NAMES = (
    "Adler", "Bosko", "Conti", "Dvorak", "Eriksen", "Fontaine", "Gruber", "Horvat", "Ivanova", "Jansen", "Kovac",
    "Lindqvist", "Moreau", "Novak", "Okafor", "Petrov", "Quintero", "Rossi", "Schmidt", "Takács", "Ulrich",
    "van der Meer", "Weiss", "Živković",
)  # fmt: skip


class Club:
    """Members with hidden skills and attendance rates; ``skill`` is in points of a game's score."""

    def __init__(self, seed: int, members: int, spread: float, families: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 -- a simulation
        # Another offset in the family names gives other people, so that nobody is in two clubs.
        self.names = [
            f"{FIRST_NAMES[index]} {FAMILY_NAMES[(index * 7 + families) % len(FAMILY_NAMES)]}"
            for index in range(members)
        ]
        self.skill = [self.normal() * spread for _ in range(members)]
        self.habit = [0.2 + 0.7 * self.random.random() for _ in range(members)]

    def normal(self) -> float:
        """Draw from an approximate standard normal distribution: the sum of twelve uniform draws minus 6."""
        return math.fsum(self.random.random() for _ in range(12)) - 6.0

    def shuffled(self, things: Sequence[int]) -> list[int]:
        """Return the items in random order."""
        return [thing for _, thing in sorted((self.random.random(), thing) for thing in things)]

    def tables(self, size: int) -> list[list[int]]:
        """Draw the tables of an evening; members who do not fill a table do not play."""
        present = self.shuffled([index for index, habit in enumerate(self.habit) if self.random.random() < habit])
        return [present[start : start + size] for start in range(0, len(present) - size + 1, size)]

    def performance(self, seats: Sequence[int], luck: float) -> list[float]:
        """Draw the performance of each seat: skill plus luck."""
        return [self.skill[seat] + self.normal() * luck for seat in seats]


def _iter_weekly_evenings(now: datetime, weekday: int, at: time, zone: str, count: int) -> Iterator[datetime]:
    """Yield weekly evenings at the same local time, ending with the last one that is over."""
    over = (now - LENGTH).astimezone(ZoneInfo(zone))
    day = over.date() - timedelta(days=(over.weekday() - weekday) % 7)
    last = datetime.combine(day, at, over.tzinfo)
    if last > over:
        last -= timedelta(weeks=1)
    for week in range(count - 1, -1, -1):
        yield (last - timedelta(weeks=week)).astimezone(UTC)


def iter_barbu_games(count: int, now: datetime) -> Iterator[NewGame]:
    """Yield Barbu games of about ``count`` weekly evenings: four players, scores with the sum 0."""
    club = Club(seed=2004, members=24, spread=30.0, families=0)
    for evening in _iter_weekly_evenings(now, THURSDAY, time(19, 30), "Europe/Paris", count):
        for round_ in range(2):
            for table in club.tables(4):
                performances = club.performance(table, luck=85.0)
                mean = math.fsum(performances) / 4
                scores = [round((score - mean) / 5.0) * 5 for score in performances]
                scores[-1] -= sum(scores)
                yield build_game(club, table, scores, evening + timedelta(minutes=95 * round_))


def iter_preferans_games(count: int, now: datetime) -> Iterator[NewGame]:
    """Yield Preferans games of about ``count`` weekly evenings: three players, a bula of 20 to 40."""
    club = Club(seed=1847, members=15, spread=7.0, families=5)
    for evening in _iter_weekly_evenings(now, WEDNESDAY, time(20, 0), "Europe/Belgrade", count):
        bula = 20 + 10 * int(club.random.random() * 3)
        for table in club.tables(3):
            middles = [round(value) for value in club.performance(table, luck=10.0)]
            yield build_game(club, table, draw_preferans_scores(club, middles, bula), evening, {"bula": bula})


def build_club() -> Club:
    """Return the club with competitions; the first members are its strongest."""
    club = Club(seed=1972, members=20, spread=180.0, families=11)
    club.skill.sort(reverse=True)
    return club


def iter_club_games(count: int, now: datetime) -> Iterator[NewGame]:
    """Yield games of two of about ``count`` weekly evenings, which end before the competitions begin."""
    club = build_club()
    for evening in _iter_weekly_evenings(now - timedelta(weeks=13), TUESDAY, time(19, 0), "Europe/Amsterdam", count):
        for pair in club.tables(2):
            yield build_game(club, pair, draw_result(club, pair), evening)


def draw_result(club: Club, pair: Sequence[int]) -> list[float]:
    """Draw who won a game of two, or that it was drawn."""
    first, second = club.performance(pair, luck=150.0)
    if abs(first - second) < 50.0:
        return [0.5, 0.5]
    return [1.0, 0.0] if first > second else [0.0, 1.0]


def draw_preferans_scores(club: Club, middles: Sequence[int], bula: int) -> list[int]:
    """Compute scores like the paper sheet: middle × 10 − own whists against others + whists of others."""
    whists = [[0] * 3 for _ in range(3)]
    for writer in range(3):
        for other in range(3):
            if writer != other:
                whists[writer][other] = 2 * int(club.random.random() * bula * 3)
    return [
        middles[seat] * 10 - sum(whists[seat]) + sum(whists[other][seat] for other in range(3)) for seat in range(3)
    ]


def build_game(
    club: Club,
    table: Sequence[int],
    scores: Sequence[float],
    played_at: datetime,
    details: dict[str, float] | None = None,
) -> NewGame:
    """Return a game of a club."""
    results = [NewResult(club.names[seat], float(score)) for seat, score in zip(table, scores, strict=True)]
    return NewGame(results=results, played_at=played_at, details=details or {})
