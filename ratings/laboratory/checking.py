"""Checks before a run: requests and games that allow no conclusion are refused with a message."""

from collections.abc import Sequence

import numpy as np

from ratings.laboratory.judging import PAIRS, JudgedPairs
from ratings.laboratory.report import Candidate, LaboratoryGames, Unjudgeable
from ratings.laboratory.sentences import build_counted_sentence, build_sentence, build_whole_number
from ratings.laboratory.tables import SideTables
from ratings.texts import N_, N_many

#: Fewest judged games that allow a conclusion.
MIN_GAMES = 30


def check_wish(candidates: Sequence[Candidate], dataset: LaboratoryGames, warm_up: int) -> None:
    """Refuse requests that are invalid whatever the results of the games."""
    if not candidates:
        raise Unjudgeable(build_sentence(N_("Choose at least one rating system.")))
    if not 0 <= warm_up < max(dataset.games, 1):
        template = N_("The warm-up of {warm_up} games leaves none to evaluate: there are {games} games.")
        raise Unjudgeable(
            build_sentence(template, warm_up=build_whole_number(warm_up), games=build_whole_number(dataset.games)),
            of_warm_up=True,
        )
    judged = dataset.games - warm_up
    if judged < MIN_GAMES:
        forms = N_many(
            "Not enough games: {count} game would be evaluated, and at least {fewest} are needed.",
            "Not enough games: {count} games would be evaluated, and at least {fewest} are needed.",
        )
        raise Unjudgeable(build_counted_sentence(forms, judged, fewest=build_whole_number(MIN_GAMES)))
    if len(np.unique(dataset.players[dataset.offsets[warm_up] :])) <= 2:
        template = N_("Only two players met in these games, so there is no order to predict.")
        raise Unjudgeable(build_sentence(template))


def check_pairs(tables: SideTables, judged: JudgedPairs, warm_up: int) -> None:
    """Refuse games of a single evening, and games without a finishing order."""
    if judged.evenings[:, PAIRS].sum() == 0:
        raise Unjudgeable(build_sentence(N_("These games have no order of finish.")))
    if len(np.unique(tables.evenings[warm_up:])) < 2:
        template = N_("All these games were played on one day, which says nothing about other days.")
        raise Unjudgeable(build_sentence(template))
