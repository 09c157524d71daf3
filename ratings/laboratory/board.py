"""The board that a system makes of a league's games, from newcomers on: how everyone stands after the last one."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratings.contract.system import RatingSystem
from ratings.laboratory.refusing import why_refused
from ratings.laboratory.report import LaboratoryGames, Unjudgeable
from ratings.laboratory.running import Step, stand
from ratings.laboratory.tables import tables_of


@dataclass(frozen=True, eq=False)
class BoardStandings:
    """How P players stand, in the order in which the games number them.

    values: P × S, states after each one's last game, the rating in front as it stands now. games: P, how many each has
    played. scores: P, what a board shows.
    """

    values: NDArray[np.float64]
    games: NDArray[np.int64]
    scores: NDArray[np.float64]


def standings_after(
    system: RatingSystem, played: LaboratoryGames, progress: Step, *, compiled: bool = False
) -> BoardStandings:
    """Return how everyone stands by a system after these games, of which there is at least one.

    ``progress`` is told the share that is done. Raises Unjudgeable with a message where the system cannot rate them.
    """
    tables = tables_of(played)
    refused = why_refused(system, tables)
    if refused is not None:
        raise Unjudgeable(refused)
    pool = stand(system, tables, progress, compiled=compiled)
    values = np.column_stack([pool.ratings() + 0.0, pool.values[:, 1:]])
    games = pool.games.astype(np.int64)
    scores = [system.display(state, count) for state, count in zip(values.tolist(), games.tolist(), strict=True)]
    return BoardStandings(values, games, np.array(scores, dtype=np.float64))
