"""A second system's board beside a league's own: who stands where by it, and where officially.

A worker has made it of the league's rated games and keeps it as packed columns (``services.laboratory.second_board``).
Who is listed is asked of the league's own board, so that both list the same people: whoever the second one does not
know yet, because they played their first game after it was made, is on it when it is rebuilt.
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
from league.core.db.statements import among
from league.core.errors import NotFound
from league.core.leaderboard.selectors.listing import Listing
from league.core.leaderboard.selectors.ranks import board_now
from league.core.leagues.selectors.rules import told_after
from league.models import Job, League, Player
from ratings.columns.rankings import ranks_among, ranks_in_order
from ratings.contract.system import RatingSystem
from ratings.registry import get_system


@dataclass(frozen=True)
class SecondStandings(Columns):
    """How everyone stands by a second system, in ascending order of their keys; states as wide as the tables are."""

    player: Keys
    score: Floats
    rating: Floats
    state_1: Floats
    state_2: Floats
    state_3: Floats
    games: Wholes

    def packed(self) -> bytes:
        """Return them as a row of the database keeps them: an NPZ."""
        file = BytesIO()
        columns: dict[str, Any] = self.by_name()
        np.savez_compressed(file, **columns)
        return file.getvalue()

    @classmethod
    def unpacked(cls, data: bytes) -> "SecondStandings":
        """Return what ``packed`` made; no player of what was never made."""
        if not data:
            return cls.nothing()
        with np.load(BytesIO(data), allow_pickle=False) as found:
            return cls(**{name: found[name] for name in cls.kinds()})


class ListedPlayer(NamedTuple):
    """Who is listed, as far as a board says it: of a hundred thousand whole players the making takes seconds."""

    pk: int
    handle: str
    name: str


class SecondRow(NamedTuple):
    """Where a player stands by the second system; official_rank: by the league's own."""

    player: ListedPlayer
    rank: int
    official_rank: int
    score: float
    rating: float
    games: int
    state: dict[str, float]
    provisional: bool

    @property
    def record(self) -> dict[str, Any]:
        """Return the row as programs read it."""
        return {
            "rank": self.rank,
            "official_rank": self.official_rank,
            "name": self.player.name,
            "score": self.score,
            "rating": self.rating,
            "games": self.games,
            "player": self.player.handle,
            "state": self.state,
            "provisional": self.provisional,
        }


@dataclass(frozen=True, eq=False)
class SecondRanks:
    """Who is listed, the best first: the rows of the standings, the ranks by both systems."""

    system: RatingSystem
    standings: SecondStandings
    row: Column
    rank: Column
    official: Column

    def __len__(self) -> int:
        return len(self.row)

    def places_before(self, player: int) -> int | None:
        """Return how many stand before a player, None for who is not listed."""
        found = np.flatnonzero(self.standings.player[self.row] == player)
        return int(found[0]) if len(found) else None

    def rows(self, places: slice) -> list[SecondRow]:
        """Return some rows of the board with their players, in one query."""
        some = self.standings.of(self.row[places])
        found = among(Player.objects.order_by(), "id", some.player.tolist()).values_list("pk", "handle", "name")
        people = {line[0]: ListedPlayer._make(line) for line in found}
        ranks = zip(self.rank[places].tolist(), self.official[places].tolist(), strict=True)
        lines = zip(*(column.tolist() for column in some.by_name().values()), ranks, strict=True)
        return [self.row_of(people[key], line, ranked) for key, *line, ranked in lines]

    def row_of(self, player: ListedPlayer, line: Sequence[Any], ranked: tuple[int, int]) -> SecondRow:
        """Return a row; ``line``: what the standings say of the player."""
        score, *state, games = line
        return SecondRow(player, *ranked, score, state[0], games, **told_after(self.system, state, games))

    @cached_property
    def agreement(self) -> tuple[int, int]:
        """Return how many of the listed have the same rank by both, and by how many ranks most others differ at most.

        "Most" is half of them: the median.
        """
        apart = np.abs(self.rank - self.official)
        others = apart[apart > 0]
        return int((apart == 0).sum()), int(np.ceil(np.median(others))) if len(others) else 0


def find_second_board(league: League) -> SecondBoard:
    """Return the second board of a league without its standings; raises NotFound if there is none."""
    board = SecondBoard.objects.defer("standings").filter(league=league).first() if league.second_system else None
    if board is None:
        raise NotFound(_("{league} has no second board.").format(league=league.title))
    board.league = league
    return board


def system_of_board(board: SecondBoard) -> RatingSystem:
    """Return the system of a second board with its parameters."""
    return get_system(board.system).from_json(board.parameters)


def is_behind(board: SecondBoard) -> bool:
    """Return whether the books have changed since the games of a board were read."""
    return board.log_sha256 != board.league.log_sha256


def newest_job(league: League) -> Job | None:
    """Return the last job that was asked to make the second board of a league."""
    found = Job.objects.filter(league=league, kind=Job.Kind.SECOND).order_by("-asked_at", "pk").first()
    if found is not None:
        found.league = league
    return found


def failed_at(job: Job, league: League) -> bool:
    """Return whether a job has failed at the league's data as they are: it is not tried again until they change."""
    return job.state == Job.State.FAILED and job.arguments["log_sha256"] == league.log_sha256


def standings_of(board: SecondBoard) -> SecondStandings:
    """Return the standings of a second board, unpacked once for each time that it was made."""
    if board.made_at is None:
        return SecondStandings.nothing()

    def unpack() -> SecondStandings:
        # On SQLite it may have been taken away or chosen otherwise since it was looked up.
        found = SecondBoard.objects.filter(pk=board.pk, chosen_at=board.chosen_at).first()
        return SecondStandings.unpacked(b"" if found is None else bytes(found.standings))

    return cached("second-board", (board.pk, board.chosen_at, board.made_at), unpack)


def second_score(league: League, player: Player) -> tuple[RatingSystem, float] | None:
    """Return a player's score by a league's second board, and its system; None if it says nothing of them."""
    board = SecondBoard.objects.defer("standings").filter(league=league).first() if league.second_system else None
    if board is None:
        return None
    standings = standings_of(board)
    place = int(np.searchsorted(standings.player, player.pk))
    if place == len(standings) or standings.player[place] != player.pk:
        return None
    return system_of_board(board), float(standings.score[place])


def second_ranks(board: SecondBoard, listing: Listing) -> SecondRanks:
    """Return who stands where by the second system of those whom the league's own board lists."""
    standings, own = standings_of(board), board_now(board.league)
    places = np.searchsorted(own.scores.player, standings.player)
    known = places < len(own.scores)
    known[known] = own.scores.player[places[known]] == standings.player[known]
    known[known] = own.eligible(listing)[places[known]]
    row = np.flatnonzero(known)
    row = row[np.lexsort((standings.player[row], -standings.rating[row], -standings.score[row]))]
    in_order, scores = own.in_order(listing), own.scores.score[places[row]]
    official = ranks_among(in_order, scores)
    return SecondRanks(system_of_board(board), standings, row, ranks_in_order(standings.score[row]), official)
