"""A player's games in a league as columns: results, and ratings after each game."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, overload

import numpy as np

from league.core.db.columns import Column, Columns, Floats, Keys, Moments, Smalls, Truths, Wholes, convert_to_datetime
from league.core.finish import compute_outcome, find_deciding_value, is_winner
from league.core.players.selectors.tables import KINDS, GameTables, find_indices, iter_systems
from league.models import Game, League, Player, RatingChange, Rule
from ratings.contract.system import RatingSystem


class HistoryLine(NamedTuple):
    """A player's rating after a game; ``games``: the player's games so far, this one included."""

    at: datetime
    number: int
    games: int
    seat: int
    before: float
    change: float
    after: float
    state_1: float
    state_2: float
    state_3: float

    @property
    def state(self) -> tuple[float, ...]:
        """Return the state with all stored columns."""
        return self.after, self.state_1, self.state_2, self.state_3


@dataclass(frozen=True)
class PlayerHistoryLines(Columns, Sequence[HistoryLine]):
    """A player's lines in order; line objects are created from the columns on demand."""

    at: Moments
    number: Keys
    games: Wholes
    seat: Smalls
    before: Floats
    change: Floats
    after: Floats
    state_1: Floats
    state_2: Floats
    state_3: Floats

    @overload
    def __getitem__(self, which: int) -> HistoryLine: ...
    @overload
    def __getitem__(self, which: slice) -> "PlayerHistoryLines": ...
    def __getitem__(self, which: int | slice) -> "HistoryLine | PlayerHistoryLines":
        """Return a line, or a slice."""
        if isinstance(which, slice):
            return self.of(which)
        at, *rest = (column[which].item() for column in self.by_name().values())
        return HistoryLine(convert_to_datetime(at), *rest)

    def __iter__(self) -> Iterator[HistoryLine]:
        """Iterate over the lines."""
        for played_at, *fields in zip(*(column.tolist() for column in self.by_name().values()), strict=True):
            yield HistoryLine(convert_to_datetime(played_at), *fields)


class PlayedGame(NamedTuple):
    """A player's result in a game, including void and unrated ones; ``size``: number of sides.

    known: whether the finish is known from scores or places. better, level: number of sides that finished before, and
    tied.
    """

    game: int
    number: int
    kind: str
    voided: bool
    seat: int
    score: float | None
    place: int | None
    size: int
    known: bool
    better: int
    level: int

    @property
    def finish(self) -> int | None:
        """Return the finish, 1 for the best, shared by ties; None if unknown."""
        return self.better + 1 if self.known else None

    @property
    def winner(self) -> bool:
        """Return whether the player is one of the game's winners."""
        return is_winner(self.finish, self.level, self.size)

    @property
    def won(self) -> bool:
        """Return whether the player was alone at the top."""
        return self.winner and compute_outcome(self.finish, self.level) == "won"

    @property
    def drawn(self) -> bool:
        """Return whether the player shared the top."""
        return compute_outcome(self.finish, self.level) == "drawn"


@dataclass(frozen=True)
class PlayerGames(Columns, Sequence[PlayedGame]):
    """A player's games in order; result objects are created from the columns on demand.

    ``kind`` is an index of KINDS; score and place are NaN if absent.
    """

    game: Keys
    number: Keys
    kind: Smalls
    voided: Truths
    seat: Smalls
    score: Floats
    place: Floats
    size: Wholes
    known: Truths
    better: Wholes
    level: Wholes
    people: Wholes
    """Number of players; ``size`` is the number of sides."""

    @property
    def counts(self) -> Truths:
        """Return which games count and have opponents."""
        flags: Truths = ~self.voided & (self.kind == KINDS.index(Game.Kind.PLAYED)) & (self.size > 1)
        return flags

    @property
    def won(self) -> Truths:
        """Return in which games the player was alone at the top."""
        flags: Truths = self.known & (self.better == 0) & (self.level == 0) & (self.size > 1)
        return flags

    @property
    def drawn(self) -> Truths:
        """Return in which games the player shared the top."""
        flags: Truths = self.known & (self.better == 0) & (self.level > 0)
        return flags

    @overload
    def __getitem__(self, which: int) -> PlayedGame: ...
    @overload
    def __getitem__(self, which: slice) -> "PlayerGames": ...
    def __getitem__(self, which: int | slice) -> "PlayedGame | PlayerGames":
        """Return the result of a game, or a slice."""
        if isinstance(which, slice):
            return self.of(which)
        return _build_played_game(*(column[which].item() for column in self.by_name().values()))

    def __iter__(self) -> Iterator[PlayedGame]:
        """Iterate over the results."""
        return (
            _build_played_game(*row)
            for row in zip(*(column.tolist() for column in self.by_name().values()), strict=True)
        )


def _build_played_game(
    game: int, number: int, kind: int, voided: bool, seat: int, score: float, place: float, *rest: int
) -> PlayedGame:
    """Return the result object for a row."""
    finish = None if np.isnan(score) else score, None if np.isnan(place) else int(place)
    size, has_finish, better, level, _people = rest
    return PlayedGame(game, number, KINDS[kind], voided, seat, *finish, size, bool(has_finish), better, level)


def load_history_lines(league: League, player: Player) -> PlayerHistoryLines:
    """Return the player's ratings after each game, in order."""
    return PlayerHistoryLines.read(RatingChange.objects.filter(league=league, player=player, step=1).order_by("games"))


def build_player_games(tables: GameTables, player: Player, rules: Sequence[Rule]) -> PlayerGames:
    """Return a player's games, in order, given the tables."""
    own_rows = np.flatnonzero(tables.player == player.pk)
    own_lines = tables.of(
        own_rows[np.lexsort((tables.number[own_rows], tables.order_key[own_rows], tables.at[own_rows]))]
    )
    # Each side counts once, including the player's.
    heads = tables.heads()
    game_index = find_indices(own_lines.number, heads.number)
    size, scored, placed = (
        np.bincount(game_index[~np.isnan(column)], minlength=len(own_lines))
        for column in (np.zeros(len(heads)), heads.score, heads.place)
    )
    decided_by = decide_finishes(None, scored == size, placed == size)
    for system, rated in iter_systems(rules, own_lines.at):
        decided_by = np.where(rated, decide_finishes(system, scored == size, placed == size), decided_by)
    outcomes = heads.against(own_lines.of(game_index), rules)
    by_place = decided_by == "place"
    better, level = (
        np.where(
            by_place,
            *(
                np.bincount(game_index[signs == value], minlength=len(own_lines))
                for signs in (outcomes.place, outcomes.score)
            ),
        )
        for value in (-1, 0)
    )
    about = {name: getattr(own_lines, name) for name in ("game", "number", "kind", "seat", "score", "place")}
    player_counts = np.bincount(find_indices(own_lines.number, tables.number), minlength=len(own_lines))
    counted = {"size": size, "known": decided_by != "", "better": better, "level": level - 1, "people": player_counts}
    return PlayerGames(**about, voided=own_lines.voided > 0, **counted)


def decide_finishes(system: RatingSystem | None, scores: Truths, places: Truths) -> Column:
    """Return what decides each game (``find_deciding_value``), given which games have complete scores, and places."""
    finishes = [
        [find_deciding_value(system, scores=score, places=place) for place in (False, True)] for score in (False, True)
    ]
    result: Column = np.array(finishes)[scores.astype(int), places.astype(int)]
    return result
