"""A league's second board: ranks by another system next to the official ranks.

A worker builds it from the league's rated games and stores it as packed columns (``services/second_board.py``). It
lists the players of the league's own board; those whose first game is newer than the last build are missing until the
next one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from typing import Any, NamedTuple

import numpy as np
from django.utils.translation import gettext as _

from league.apps.laboratory.models import SecondBoard
from league.core.db.bounded_cache import cached
from league.core.db.columns import Column, Columns, Floats, Keys, Wholes
from league.core.errors import NotFound
from league.core.leaderboard.selectors.current_board import Listing, load_current_board
from league.core.rules.selectors.rules import serialize_state_after
from league.models import Job, League, Player
from ratings.columns.tallies import rank_scores, rank_sorted_values
from ratings.contract.system import RatingSystem
from ratings.registry import get_system


@dataclass(frozen=True)
class SecondStandings(Columns):
    """Each player's score and state by the second system, ordered by key."""

    player: Keys
    score: Floats
    rating: Floats
    state_1: Floats
    state_2: Floats
    state_3: Floats
    games: Wholes

    def to_npz(self) -> bytes:
        """Return the columns as a compressed NPZ file, as the database stores them."""
        buffer = BytesIO()
        columns: dict[str, Any] = self.by_name()
        np.savez_compressed(buffer, **columns)
        return buffer.getvalue()

    @classmethod
    def from_npz(cls, data: bytes) -> "SecondStandings":
        """Return the columns of an NPZ file, or no players if ``data`` is empty."""
        if not data:
            return cls.nothing()
        with np.load(BytesIO(data), allow_pickle=False) as arrays:
            return cls(**{name: arrays[name] for name in cls.kinds()})


class ListedPlayer(NamedTuple):
    """The fields of a player that a board shows; loading 100,000 complete players would take seconds."""

    pk: int
    handle: str
    name: str


class SecondRow(NamedTuple):
    """A player's row on the second board; ``official_rank`` is the rank by the league's own system."""

    rank: int
    official_rank: int
    name: str
    score: float
    rating: float
    games: int
    player: ListedPlayer
    state: dict[str, float]
    provisional: bool

    @property
    def record(self) -> dict[str, Any]:
        """The row as the API and data files show it."""
        return {**self._asdict(), "player": self.player.handle}


@dataclass(frozen=True, eq=False)
class SecondRanks:
    """The listed players, best first: indexes into ``standings``, and ranks by both systems."""

    system: RatingSystem
    standings: SecondStandings
    row: Column
    rank: Column
    official: Column

    def __len__(self) -> int:
        return len(self.row)

    def count_before(self, player: int) -> int | None:
        """Return the number of players listed before a player, or None if the player is not listed."""
        positions = np.flatnonzero(self.standings.player[self.row] == player)
        return int(positions[0]) if len(positions) else None

    def rows(self, positions: slice) -> list[SecondRow]:
        """Return the rows of the board at some positions, with one query for their players."""
        standings = self.standings.of(self.row[positions])
        people_rows = (
            Player.objects.filter(pk__in=standings.player.tolist()).order_by().values_list("pk", "handle", "name")
        )
        players = {values[0]: ListedPlayer._make(values) for values in people_rows}
        ranks = zip(self.rank[positions].tolist(), self.official[positions].tolist(), strict=True)
        lines = zip(*(column.tolist() for column in standings.by_name().values()), ranks, strict=True)
        return [self._build_row(players[key], values, ranked) for key, *values, ranked in lines]

    def _build_row(self, player: ListedPlayer, values: Sequence[Any], ranks: tuple[int, int]) -> SecondRow:
        score, *state, games = values
        described = serialize_state_after(self.system, state, games)
        return SecondRow(*ranks, player.name, score, state[0], games, player, **described)

    @cached_property
    def agreement(self) -> tuple[int, int]:
        """The number of players with the same rank by both systems, and the median difference of the others."""
        differences = np.abs(self.rank - self.official)
        nonzero = differences[differences > 0]
        return int((differences == 0).sum()), int(np.ceil(np.median(nonzero))) if len(nonzero) else 0


def find_second_board(league: League) -> SecondBoard:
    """Return the second board of a league without its standings; raises NotFound if there is none."""
    board = _find_board(league)
    if board is None:
        raise NotFound(_("{league} has no second board.").format(league=league.title))
    board.league = league
    return board


def _find_board(league: League) -> SecondBoard | None:
    return SecondBoard.objects.defer("standings").filter(league=league).first() if league.also_rated_by else None


def build_system(board: SecondBoard) -> RatingSystem:
    """Return the system of a second board with its parameters."""
    return get_system(board.system).from_json(board.parameters)


def is_behind(board: SecondBoard) -> bool:
    """Return whether the league's data have changed since the board's games were read."""
    return board.log_sha256 != board.league.log_sha256


def find_newest_job(league: League) -> Job | None:
    """Return the last requested job for the second board of a league."""
    job = Job.objects.filter(league=league, kind=Job.Kind.SECOND).order_by("-asked_at", "pk").first()
    if job is not None:
        job.league = league
    return job


def has_failed(job: Job, league: League) -> bool:
    """Return whether a job has failed with the league's current data; it is retried only after a change."""
    return job.state == Job.State.FAILED and job.arguments["log_sha256"] == league.log_sha256


def load_standings(board: SecondBoard) -> SecondStandings:
    """Return the standings of a second board; cached per build."""
    if board.made_at is None:
        return SecondStandings.nothing()

    def unpack() -> SecondStandings:
        # On SQLite the board may have been dropped or replaced since it was loaded.
        stored = SecondBoard.objects.filter(pk=board.pk, chosen_at=board.chosen_at).first()
        return SecondStandings.from_npz(b"" if stored is None else bytes(stored.standings))

    return cached("second-board", (board.pk, board.chosen_at, board.made_at), unpack)


def find_second_score(league: League, player: Player) -> tuple[RatingSystem, float] | None:
    """Return the second board's system and a player's score by it, or None if it does not list the player."""
    board = _find_board(league)
    if board is None:
        return None
    standings = load_standings(board)
    index = int(np.searchsorted(standings.player, player.pk))
    if index == len(standings) or standings.player[index] != player.pk:
        return None
    return build_system(board), float(standings.score[index])


def rank_second_board(board: SecondBoard, listing: Listing) -> SecondRanks:
    """Return the ranks by the second system of the players on the league's own board."""
    standings, official_board = load_standings(board), load_current_board(board.league)
    indexes = np.searchsorted(official_board.scores.player, standings.player)
    is_listed = indexes < len(official_board.scores)
    is_listed[is_listed] = official_board.scores.player[indexes[is_listed]] == standings.player[is_listed]
    is_listed[is_listed] = official_board.eligible(listing)[indexes[is_listed]]
    row = np.flatnonzero(is_listed)
    row = row[np.lexsort((standings.player[row], -standings.rating[row], -standings.score[row]))]
    in_order, scores = official_board.in_order(listing), official_board.scores.score[indexes[row]]
    official = rank_scores(in_order, scores)
    return SecondRanks(build_system(board), standings, row, rank_sorted_values(standings.score[row]), official)
