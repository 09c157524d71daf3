"""Answers whether ratings of their own for some games predict these better than one rating of all games.

Both are judged by the same games, which are predicted from the ratings before them. Ratings of their own are those of
the same games in which the players of the chosen games are others than those of the remaining ones.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ratings.contract.system import RatingSystem
from ratings.laboratory.findings import Entrant, EntrantFigures
from ratings.laboratory.forecasting import compute_forecast
from ratings.laboratory.judging import PAIRS, JudgedPairs, judge, select_judged_pairs
from ratings.laboratory.refusing import find_refusal_reason
from ratings.laboratory.report import LaboratoryGames
from ratings.laboratory.resampling import MIN_EVENINGS
from ratings.laboratory.sentences import Sentence, build_sentence, format_decimal
from ratings.laboratory.tables import SideTables, build_side_tables
from ratings.laboratory.verdicts import describe_too_few_evenings
from ratings.texts import N_

#: The labels of the two, and the measures in the order of preference: some systems give no probabilities.
OWN, ONE = "own", "one"
MEASURES = ("log_loss", "order_accuracy")
NO_GAMES = N_("None of these games can be judged: too few are played, or they have no results between players.")
#: Measure and which is better ("": undecided) -> sentence.
SENTENCES = {
    ("log_loss", OWN): N_(
        "Ratings of their own predict these games better than one rating: {own} against {one} (log loss, lower is "
        "better), interval of the difference {low} to {high}."
    ),
    ("log_loss", ONE): N_(
        "Ratings of their own predict these games worse than one rating: {own} against {one} (log loss, lower is "
        "better), interval of the difference {low} to {high}."
    ),
    ("log_loss", ""): N_(
        "Ratings of their own predict these games neither clearly better nor worse than one rating: {own} against "
        "{one} (log loss, lower is better), interval of the difference {low} to {high}."
    ),
    ("order_accuracy", OWN): N_(
        "Ratings of their own predict these games better than one rating: {own} % of pairs in the right order against "
        "{one} %, interval of the difference {low} to {high}."
    ),
    ("order_accuracy", ONE): N_(
        "Ratings of their own predict these games worse than one rating: {own} % of pairs in the right order against "
        "{one} %, interval of the difference {low} to {high}."
    ),
    ("order_accuracy", ""): N_(
        "Ratings of their own predict these games neither clearly better nor worse than one rating: {own} % of pairs "
        "in the right order against {one} %, interval of the difference {low} to {high}."
    ),
}


@dataclass(frozen=True)
class SplitAnswer:
    """Whether a split pays: the better one (``own``, ``one``, or "" if undecided), both figures, and the sentence."""

    better: str
    measure: str
    own: float | None
    one: float | None
    sentence: Sentence


def judge_split(
    system: RatingSystem,
    own_system: RatingSystem,
    dataset: LaboratoryGames,
    chosen: NDArray[np.bool_],
    *,
    warm_up: int,
    draws: int = 200,
    seed: int = 0,
) -> SplitAnswer:
    """Return whether ratings of their own by ``own_system`` predict the chosen games (G) better than one rating.

    The games from number ``warm_up`` (from 0) on are judged.
    """
    tables = build_side_tables(dataset)
    judged = select_judged_pairs(tables, warm_up, chosen)
    if not judged.evenings[:, PAIRS].sum():
        return SplitAnswer("", "", None, None, build_sentence(NO_GAMES))
    evenings = int(np.count_nonzero(judged.evenings[:, PAIRS]))
    if evenings < MIN_EVENINGS:
        return SplitAnswer("", "", None, None, describe_too_few_evenings(evenings))
    reason = find_refusal_reason(system, tables) or find_refusal_reason(own_system, tables)
    if reason is not None:
        return SplitAnswer("", "", None, None, reason)
    parts = np.repeat(chosen, np.diff(dataset.offsets))
    split = replace(dataset, players=dataset.players + dataset.count * parts, count=2 * dataset.count)
    entrants = [
        _evaluate(OWN, own_system, build_side_tables(split), judged, warm_up),
        _evaluate(ONE, system, tables, judged, warm_up),
    ]
    return _compare(EntrantFigures(entrants, judged, draws, seed), *entrants)


def _evaluate(label: str, system: RatingSystem, tables: SideTables, judged: JudgedPairs, warm_up: int) -> Entrant:
    forecast, _run = compute_forecast(system, tables, lambda share: None, compiled=False)
    return Entrant(system.key, label, system.to_json(), system.title, judge(forecast, tables, judged, warm_up))


def _compare(figures: EntrantFigures, own: Entrant, one: Entrant) -> SplitAnswer:
    """Return the answer by the first measure that both have."""
    for measure in MEASURES:
        difference = figures.difference(own, one, measure)
        if difference is None or difference.low is None or difference.high is None:
            continue
        own_value, one_value = (float(figures.values(entrant, measure)[0]) for entrant in (own, one))
        scale, places = (1.0, 3) if measure == "log_loss" else (100.0, 1)
        numbers = [
            format_decimal(scale * value, places) for value in (own_value, one_value, difference.low, difference.high)
        ]
        sentence = build_sentence(
            SENTENCES[measure, difference.better], **dict(zip(("own", "one", "low", "high"), numbers, strict=True))
        )
        return SplitAnswer(difference.better, measure, own_value, one_value, sentence)
    return SplitAnswer("", "", None, None, build_sentence(NO_GAMES))
