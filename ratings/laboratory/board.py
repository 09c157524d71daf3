"""The board that a system computes from a league's games, starting with newcomers."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratings.contract.system import RatingSystem
from ratings.laboratory.refusing import find_refusal_reason
from ratings.laboratory.report import LaboratoryGames, Unjudgeable
from ratings.laboratory.running import Step, compute_final_pool
from ratings.laboratory.tables import build_side_tables


@dataclass(frozen=True, eq=False)
class BoardStandings:
    """The standings of P players, in the order of their numbers.

    values: P × S, states after each player's last game, with the current rating first. games: P, games played.
    scores: P, display scores.
    """

    values: NDArray[np.float64]
    games: NDArray[np.int64]
    scores: NDArray[np.float64]


def compute_standings(
    system: RatingSystem, dataset: LaboratoryGames, progress: Step, *, compiled: bool = False
) -> BoardStandings:
    """Return the standings under a system after these games, of which there must be at least one.

    ``progress`` receives the share done. Raises Unjudgeable with a message if the system cannot rate the games.
    """
    tables = build_side_tables(dataset)
    refused = find_refusal_reason(system, tables)
    if refused is not None:
        raise Unjudgeable(refused)
    pool = compute_final_pool(system, tables, progress, compiled=compiled)
    values = np.column_stack([pool.ratings() + 0.0, pool.values[:, 1:]])
    games = pool.games.astype(np.int64)
    scores = [system.display(state, count) for state, count in zip(values.tolist(), games.tolist(), strict=True)]
    return BoardStandings(values, games, np.array(scores, dtype=np.float64))
