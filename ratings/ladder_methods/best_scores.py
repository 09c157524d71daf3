"""The mean of a player's best scores: the "Zester" of the Barbu ladder.

There is no published source; as reported to us, the best 10 scores of the year count and 10 games qualify.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ratings.columns.tallies import Records, Tallies, encode_sentences
from ratings.contract.method import (
    LOWEST_WINS,
    Counted,
    Method,
    MethodExample,
    RatedLine,
    ScoreColumn,
    build_records,
    format_games_to_go,
    ladder_winner,
    minimum_games,
)
from ratings.contract.parameters import choice, number
from ratings.contract.system import Ruling
from ratings.contract.wording import Wording, format_plain
from ratings.texts import N_, mark_stored, say_many

NO_SCORE = mark_stored("No game of the period has a score.")


def scores_of(*scores: float) -> Records:
    """Return the records of one player with these scores."""
    return build_records([[RatedLine(1, score=score)] for score in scores])


@dataclass(frozen=True, kw_only=True)
class BestScores(Method):
    """The mean of the best scores."""

    key: ClassVar[str] = "best_scores"
    title: ClassVar[str] = N_("Best scores")
    summary: ClassVar[str] = N_(
        "The average of your best scores in the period. Bad games cost nothing, so playing "
        "more never hurts; a minimum number of games is needed to qualify."
    )
    headline: ClassVar[str] = N_("The average of your best scores of the period: bad games cost nothing.")
    source: ClassVar[str] = N_("No published source: the “Zester” of the online Barbu ladder, as described to us")
    formula: ClassVar[str] = "score = average of the best 10 scores; 10 games to qualify"
    score_label: ClassVar[str] = N_("Average of the best")
    columns: ClassVar[tuple[ScoreColumn, ...]] = (
        ScoreColumn("best", N_("Best"), N_("The best score of the period."), 1),
        ScoreColumn("last", N_("Lowest counted"), N_("The lowest of the scores that count."), 1),
        ScoreColumn("counted", N_("Counted"), N_("Number of scores that count.")),
    )
    decimals: ClassVar[int] = 1
    tie_breaks: ClassVar[tuple[str, ...]] = ("best",)
    rulings: ClassVar[tuple[Ruling, ...]] = (
        Ruling(
            "R12",
            N_("Scores counted by the Zester"),
            N_(
                "The rule was described to us as “scores”, and none of our sources says more, so the "
                "scores on the sheets are used, not the adjusted ones. The adjusted ones are "
                "available as an option."
            ),
            "of",
        ),
        LOWEST_WINS,
    )
    examples: ClassVar[tuple[MethodExample, ...]] = (
        MethodExample(
            N_("Twelve games: the two worst do not count"),
            lambda: scores_of(10, 20, 30, 40, 50, 60, 70, 80, 90, 100, -500, 5),
            1,
            {"score": 55.0, "best": 100.0, "last": 10.0, "counted": 10.0},
            note=N_("Calculated by hand."),
        ),
    )

    best: float = number(
        10, label=N_("Best"), low=1, high=1000, unit=N_("scores"), whole=True, help=N_("Number of scores that count.")
    )
    minimum: float = minimum_games(10, help=N_("Number of games needed to qualify."))
    of: str = choice(
        "score",
        {"score": N_("the scores on the sheets"), "performance": N_("the adjusted scores of the rating system")},
        label=N_("Scores used"),
        help=N_("The scores that are compared and averaged."),
        source="R12",
    )
    winner: str = ladder_winner()

    def wording(self) -> Wording:
        """Return the texts for these parameters."""
        best, minimum, summary = format_plain(self.best), format_plain(self.minimum), self.summary
        formula = say_many(
            "score = average of the best {best} scores; {count} game to qualify",
            "score = average of the best {best} scores; {count} games to qualify",
            self.minimum,
            best=best,
            count=minimum,
        )
        if self.of == "performance":
            formula = say_many(
                "score = average of the best {best} adjusted scores; {count} game to qualify",
                "score = average of the best {best} adjusted scores; {count} games to qualify",
                self.minimum,
                best=best,
                count=minimum,
            )
            summary = N_(
                "The average of your best adjusted scores in the period. Bad games cost nothing, so "
                "playing more never hurts; a minimum number of games is needed to qualify."
            )
        return replace(super().wording(), summary=summary, formula=formula)

    def reads_past(self) -> bool:
        """Return whether adjusted scores count, which depend on ratings."""
        return self.of == "performance"

    def deciding_figure(self) -> Counted:
        """Return the kind of score that is averaged."""
        return "score" if self.of == "score" else "performance"

    def tabulate(self, records: Records) -> Tallies:
        """Return the means of the best scores, added up from the highest down."""
        results = self.scores_in(records) if self.of == "score" else records.lines.performance
        rows = np.flatnonzero(~np.isnan(results))
        values = results[rows] + 0.0
        order = np.lexsort((-values, records.of[rows]))
        values, record_index = values[order], records.of[rows][order]
        count = np.bincount(record_index, minlength=len(records))
        first = np.cumsum(count) - count
        best = np.arange(len(record_index)) - first[record_index] < int(self.best)
        total = np.bincount(record_index[best], weights=values[best], minlength=len(records))
        counted = np.minimum(count, int(self.best))
        has_games = count > 0
        mean, top, last = (np.full(len(records), np.nan) for _ in range(3))
        mean[has_games] = total[has_games] / counted[has_games] + 0.0
        top[has_games], last[has_games] = values[first[has_games]], values[(first + counted - 1)[has_games]]
        why_not, messages = encode_sentences(
            count, lambda games: format_games_to_go(games, int(self.minimum)) if games else NO_SCORE
        )
        return Tallies(mean, (top, last, counted.astype(np.float64)), count, why_not, messages)
