"""Draws a tournament: its players, then each round's pairings by the rules and results by the ratings.

Results follow FIDE's table of expected scores; differences of ratings count as at most 400.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from random import Random

from ratings.columns.fide import EXPECTED
from ratings.contract.competition import (
    ByeKind,
    CompetitionData,
    EntryData,
    FixtureData,
    PointsTable,
    RoundData,
    Seat,
    build_forfeit,
    build_game,
)
from ratings.contract.pairing_format import CannotPair, PairingRequest
from ratings.pairing_formats.swiss import Swiss
from ratings.standings.ranking import rank_standings
from ratings.texts import N_, say
from ratings.tournaments.settings import BadSettings, DrawSettings
from ratings.trf.building import build_document
from ratings.trf.competition import TrfCompetition
from ratings.trf.document import TrfPlayer
from ratings.trf.formats import TrfFormat
from ratings.trf.writing import write_trf

#: Differences of ratings count as at most this (rating regulations, 8.3.1).
MAX_DIFFERENCE = 400
#: Shares of the forfeits that both lose, and of the unusual results that are 0–0.
BOTH_LOSE, NOBODY_GAINS = 0.1, 0.5
#: Tournaments that no rule can pair to the end are drawn again so often.
ATTEMPTS = 50
FIRST_DAY = date(2026, 3, 1)
SYLLABLES = ("ba", "de", "ko", "li", "ma", "ne", "pa", "ro", "si", "ta", "vu", "za")
IMPOSSIBLE = N_("{rounds} rounds of {players} players could not be paired in {attempts} attempts.")
#: Settings that are byes -> their kinds.
BYE_SETTINGS: Mapping[str, ByeKind] = {
    "half_point_byes": "half_bye",
    "zero_point_byes": "zero_bye",
    "full_point_byes": "full_bye",
}


@dataclass(frozen=True)
class DrawnTournament:
    """A tournament with the settings that it was drawn by."""

    settings: DrawSettings
    competition: TrfCompetition

    def write(self) -> bytes:
        """Return its report (TRF26), with the ranks of the standings."""
        standings = rank_standings(self.competition.data, self.competition.tie_breaks)
        ranks = {row.entry: row.rank for row in standings.rows}
        return write_trf(build_document(self.competition, ranks=ranks), version="26")


def draw_tournament(settings: DrawSettings, seed: int) -> DrawnTournament:
    """Return a tournament by settings; the same seed draws the same again. Raises BadSettings."""
    random = Random(seed)  # noqa: S311 -- tournaments, no secrets
    completed = settings.complete(random)
    drawer = _TournamentDrawer(completed, random)
    for _attempt in range(ATTEMPTS):
        try:
            return DrawnTournament(completed, drawer.draw(seed))
        except CannotPair:
            continue
    raise BadSettings(say(IMPOSSIBLE, rounds=completed.rounds, players=completed.players, attempts=ATTEMPTS))


def compute_expected_score(own: int, other: int) -> float:
    """Return the score that a player is expected to have, from 0 to 1, by FIDE's table."""
    difference = max(-MAX_DIFFERENCE, min(MAX_DIFFERENCE, own - other))
    higher = EXPECTED[abs(difference)]
    return (higher if difference >= 0 else 100 - higher) / 100


class _TournamentDrawer:
    """Draws the parts of a tournament in order."""

    def __init__(self, settings: DrawSettings, random: Random) -> None:
        self._settings, self._random = settings, random
        self._unrated: set[tuple[int, int]] = set()
        self._strengths: dict[int, int] = {}

    def draw(self, seed: int) -> TrfCompetition:
        """Return a tournament; raises CannotPair if a round has no pairing."""
        count, rounds = self._settings.players or 0, self._settings.rounds or 0
        entries = self._draw_entries(count)
        data = CompetitionData(entries, (), PointsTable(), planned_rounds=rounds)
        self._unrated = set()
        first_colour, acceleration = self._settings.first_colour or "white", self._settings.acceleration or "none"
        pairing_format = Swiss(first_colour=first_colour, acceleration=acceleration)
        for number in range(1, rounds + 1):
            request = PairingRequest(data, number, byes=self._draw_byes(count))
            planned = pairing_format.pair(request).fixtures
            played = tuple(self._draw_result(number, fixture) for fixture in planned)
            data = replace(data, rounds=(*data.rounds, RoundData(number, played)))
        days = tuple(FIRST_DAY + timedelta(days=number) for number in range(rounds))
        return TrfCompetition(
            f"Drawn tournament {seed}",
            data,
            tuple(TrfPlayer(one.number, self._draw_name(), rating=one.rating) for one in entries),
            TrfFormat("swiss", acceleration="" if acceleration == "none" else acceleration),
            city="Nowhere",
            starts=days[0],
            ends=days[-1],
            round_days=days,
            tie_breaks=self._settings.tie_breaks or (),
            first_colour=first_colour,
            unrated=frozenset(self._unrated),
        )

    def _draw_entries(self, count: int) -> tuple[EntryData, ...]:
        """Return the entries by falling ratings, those without one last."""
        settings, random = self._settings, self._random
        ratings: list[int] = [*settings.ratings]
        lowest, highest = settings.lowest_rating or 0, settings.highest_rating or 0
        while len(ratings) < count:
            # More players are near the middle than at the bounds.
            ratings.append(round(lowest + (highest - lowest) * random.betavariate(2, 2)))
        strengths = sorted(ratings, reverse=True)
        without = {at for at in range(count) if random.random() < (settings.unrated_players or 0)}
        order = [at for at in range(count) if at not in without] + sorted(without)
        self._strengths = {number: strengths[at] for number, at in enumerate(order, 1)}
        return tuple(EntryData(number, None if at in without else strengths[at]) for number, at in enumerate(order, 1))

    def _draw_name(self) -> str:
        first, last = ("".join(self._random.choices(SYLLABLES, k=size)).capitalize() for size in (2, 3))
        return f"{last}, {first}"

    def _draw_byes(self, count: int) -> dict[int, ByeKind]:
        """Return the byes that are asked for in a round; at least two players stay."""
        byes: dict[int, ByeKind] = {}
        for entry in range(1, count + 1):
            for name, kind in BYE_SETTINGS.items():
                if self._random.random() < getattr(self._settings, name) and len(byes) < count - 2:
                    byes.setdefault(entry, kind)
        return byes

    def _draw_result(self, number: int, fixture: FixtureData) -> FixtureData:
        if len(fixture.seats) == 1:
            return fixture
        settings, random = self._settings, self._random
        white, black = (seat.entry for seat in fixture.seats)
        if random.random() < (settings.forfeits or 0):
            losers = (white, black) if random.random() < BOTH_LOSE else (random.choice((white, black)),)
            return build_forfeit(white, black, *losers)
        if random.random() < (settings.unrated_games or 0):
            self._unrated.add((number, white))
        if random.random() < (settings.unusual_results or 0):
            return _build_unusual(white, black, random)
        expected = compute_expected_score(self._strengths[white], self._strengths[black])
        # A draw is half a point: what is left of the expected score are wins.
        draws = min(settings.draws or 0, 2 * min(expected, 1 - expected))
        lot = random.random()
        outcome = "draw" if lot < draws else "win" if lot < expected + draws / 2 else "loss"
        return build_game(white, black, outcome)  # type: ignore[arg-type]  # one of the three


def _build_unusual(white: int, black: int, random: Random) -> FixtureData:
    """Return a played game in which the arbiter gave nobody a point, or one of them half of one."""
    table = PointsTable()
    points = [table.loss, table.loss if random.random() < NOBODY_GAINS else table.draw]
    random.shuffle(points)
    seats = tuple(Seat(entry, 1, points=gained) for entry, gained in zip((white, black), points, strict=True))
    return FixtureData(seats, "played")
