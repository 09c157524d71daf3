"""Mean of a player's best scores, once there are enough games: the "Zester" of the Barbu ladder.

Source: "How the rating system works", the online Barbu ladder (best 10 scores, 10 games to qualify).
"""

from dataclasses import dataclass
from typing import ClassVar

from ratings.method import Column, Line, Method, MethodExample, Record, Tally, counted
from ratings.parameters import choice, number
from ratings.system import Ruling


def scores_of(*scores: float) -> dict[int, Record]:
    """Return the records of one player with these scores."""
    return {1: Record(1, [Line(1, score=score) for score in scores])}


@dataclass(frozen=True, kw_only=True)
class BestScores(Method):
    """The mean of the best scores."""

    key: ClassVar[str] = "best_scores"
    title: ClassVar[str] = "Best scores"
    summary: ClassVar[str] = (
        "The mean of your best scores of the period. Bad evenings cost nothing, so playing on never hurts; you need a "
        "number of games to qualify."
    )
    source: ClassVar[str] = "“How the rating system works”, the online Barbu ladder: the Zester"
    formula: ClassVar[str] = "score = mean of the best 10 scores; 10 games to qualify"
    score_label: ClassVar[str] = "Mean of the best"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("best", "Best", "The best score of the period.", 1),
        Column("last", "Last that counts", "The lowest of the scores that count.", 1),
        Column("counted", "Counted", "How many scores count."),
    )
    decimals: ClassVar[int] = 1
    tie_breaks: ClassVar[tuple[str, ...]] = ("best",)
    rulings: ClassVar[tuple[Ruling, ...]] = (
        Ruling(
            "R12",
            "Which scores the Zester counts",
            "The source says “scores”: those on the sheets, not the adjusted ones. The adjusted ones are a parameter.",
            "of",
        ),
    )
    examples: ClassVar[tuple[MethodExample, ...]] = (
        MethodExample(
            "Twelve games: the worst two do not count",
            lambda: scores_of(10, 20, 30, 40, 50, 60, 70, 80, 90, 100, -500, 5),
            1,
            {"score": 55.0, "best": 100.0, "last": 10.0, "counted": 10.0},
            note="Worked out by hand.",
        ),
    )

    best: float = number(10, label="Best", low=1, high=1000, unit="scores", whole=True, help="So many scores count.")
    minimum: float = number(
        10, label="Minimum", low=1, high=1000, unit="games", whole=True, help="So many games are needed to qualify."
    )
    of: str = choice(
        "score",
        {"score": "the scores on the sheets", "performance": "the adjusted scores of the rating system"},
        label="Of which scores",
        help="What is compared and averaged.",
        source="R12",
    )

    def tally(self, record: Record) -> Tally:
        """Return the mean of the best scores; the best ones are added up from the highest down."""
        values = [line.score if self.of == "score" else line.performance for line in record.own]
        scores = sorted((value + 0.0 for value in values if value is not None), reverse=True)
        count = len(scores)
        best = scores[: int(self.best)]
        if not best:
            return Tally(None, (None, None, 0.0), 0, "No game of the period has a score.")
        total = 0.0
        for score in best:
            total += score
        missing = int(self.minimum) - count
        why_not = f"{count} of {counted(int(self.minimum))} played; {missing} to go." if missing > 0 else ""
        return Tally(total / len(best) + 0.0, (best[0], best[-1], float(len(best))), count, why_not)
