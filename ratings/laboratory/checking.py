"""Checks before a run: requests and games that allow no conclusion are refused with a message."""

from collections.abc import Sequence

import numpy as np

from ratings.laboratory.judging import PAIRS, JudgedPairs
from ratings.laboratory.report import Candidate, LaboratoryGames, Unjudgeable
from ratings.laboratory.sentences import counted, sentence, whole
from ratings.laboratory.tables import SideTables
from ratings.texts import N_, N_many

#: Fewest judged games that allow a conclusion.
MIN_GAMES = 30


def check_wish(candidates: Sequence[Candidate], played: LaboratoryGames, warm_up: int) -> None:
    """Refuse requests that are invalid whatever the results of the games."""
    if not candidates:
        raise Unjudgeable(sentence(N_("Choose at least one rating system.")))
    if not 0 <= warm_up < max(played.games, 1):
        template = N_("The warm-up of {warm_up} games leaves none to evaluate: there are {games} games.")
        raise Unjudgeable(sentence(template, warm_up=whole(warm_up), games=whole(played.games)), of_warm_up=True)
    judged = played.games - warm_up
    if judged < MIN_GAMES:
        forms = N_many(
            "Not enough games: {count} game would be evaluated, and at least {fewest} are needed.",
            "Not enough games: {count} games would be evaluated, and at least {fewest} are needed.",
        )
        raise Unjudgeable(counted(forms, judged, fewest=whole(MIN_GAMES)))
    if len(np.unique(played.players[played.offsets[warm_up] :])) <= 2:
        template = N_("Only two players met in these games, so there is no order to predict.")
        raise Unjudgeable(sentence(template))


def check_pairs(tables: SideTables, judged: JudgedPairs, warm_up: int) -> None:
    """Refuse games of a single evening, and games without a finishing order."""
    if judged.evenings[:, PAIRS].sum() == 0:
        raise Unjudgeable(sentence(N_("These games have no order of finish.")))
    if len(np.unique(tables.evenings[warm_up:])) < 2:
        template = N_("All these games were played on one day, which says nothing about other days.")
        raise Unjudgeable(sentence(template))
