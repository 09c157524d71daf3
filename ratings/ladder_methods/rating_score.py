"""The rating at the end of the period, less an evidence penalty that shrinks with the games: the Durak leaderboard.

Source: "How the Durak score works".
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from ratings.columns.tallies import Records, Tallies, apply_to_distinct, encode_sentences
from ratings.contract.curves import evidence_penalty
from ratings.contract.method import (
    Method,
    MethodExample,
    RatedLine,
    ScoreColumn,
    build_records,
    format_games_to_go,
    minimum_games,
)
from ratings.contract.parameters import choice, number
from ratings.contract.rounding import round_half_up_each
from ratings.contract.wording import Wording, format_plain
from ratings.texts import N_, say


def rated(rating: float, games: int) -> Records:
    """Return the records of one player with this rating after ``games`` games in the league."""
    return build_records([[RatedLine(1, after=rating, games=games)]])


@dataclass(frozen=True, kw_only=True)
class RatingScore(Method):
    """The rating less the evidence penalty."""

    key: ClassVar[str] = "rating_score"
    title: ClassVar[str] = N_("Rating at the end")
    summary: ClassVar[str] = N_(
        "Your rating at the end of the period, minus a penalty that shrinks as you play "
        "more, so that new players do not lead at once. You must have played in the period."
    )
    headline: ClassVar[str] = N_("Your rating at the end of the period, minus a penalty for few games.")
    source: ClassVar[str] = N_("“How the Durak score works”")
    formula: ClassVar[str] = "score = ⌊R − 180 / √games + ½⌋, all games in the league so far"
    score_label: ClassVar[str] = N_("Score")
    columns: ClassVar[tuple[ScoreColumn, ...]] = (
        ScoreColumn("rating", N_("Rating"), N_("Rating at the period's end."), 2),
        ScoreColumn("penalty", N_("Penalty"), N_("The points taken off because of few games."), 2),
        ScoreColumn("counted", N_("Games counted"), N_("The games that the penalty counts.")),
    )
    reads_ratings: ClassVar[bool] = True
    reads_scores: ClassVar[bool] = False
    tie_breaks: ClassVar[tuple[str, ...]] = ("rating",)
    examples: ClassVar[tuple[MethodExample, ...]] = (
        MethodExample(N_("A rating of 1000 after 1 game"), lambda: rated(1000.0, 1), 1, {"score": 820.0}, printed=True),
        MethodExample(
            N_("A rating of 1000 after 4 games"), lambda: rated(1000.0, 4), 1, {"score": 910.0}, printed=True
        ),
        MethodExample(
            N_("A rating of 1000 after 9 games"), lambda: rated(1000.0, 9), 1, {"score": 940.0}, printed=True
        ),
        MethodExample(
            N_("A rating of 1000 after 25 games"), lambda: rated(1000.0, 25), 1, {"score": 964.0}, printed=True
        ),
        MethodExample(
            N_("A rating of 1000 after 100 games"), lambda: rated(1000.0, 100), 1, {"score": 982.0}, printed=True
        ),
    )

    evidence_penalty: float = number(
        180,
        label=N_("Penalty for few games"),
        low=0,
        high=10_000,
        unit=N_("points"),
        help=N_("This number divided by √games is subtracted."),
    )
    evidence: str = choice(
        "league",
        {"league": N_("all games in the league so far"), "period": N_("the games of the period")},
        label=N_("Games counted for the penalty"),
        help=N_("Which games count for the penalty."),
    )
    rounding: str = choice(
        "whole",
        {"whole": N_("to whole points, half up"), "none": N_("not at all")},
        label=N_("Rounding"),
        help=N_("How the score is rounded."),
    )
    minimum: float = minimum_games()

    def wording(self) -> Wording:
        """Return the texts for these parameters."""
        formula = {
            ("whole", "league"): N_("score = ⌊R − {penalty} / √games + ½⌋, all games in the league so far"),
            ("whole", "period"): N_("score = ⌊R − {penalty} / √games + ½⌋, the games of the period"),
            ("none", "league"): N_("score = R − {penalty} / √games, all games in the league so far"),
            ("none", "period"): N_("score = R − {penalty} / √games, the games of the period"),
        }[self.rounding, self.evidence]
        formula = say(formula, penalty=format_plain(self.evidence_penalty))
        summary = self.summary
        if self.evidence_penalty == 0:
            summary = N_("Your rating at the end of the period. You must have played in the period.")
        return replace(super().wording(), summary=summary, formula=formula)

    def tabulate(self, records: Records) -> Tallies:
        """Return the final ratings less the penalties."""
        count = records.counts()
        evidence = records.lines.games[records.last()] if self.evidence == "league" else count
        penalty = apply_to_distinct(evidence, partial(evidence_penalty, self.evidence_penalty))
        score = records.rating - penalty
        if self.rounding == "whole":
            score = round_half_up_each(score)
        why_not, messages = encode_sentences(count, lambda games: format_games_to_go(games, int(self.minimum)))
        return Tallies(score, (records.rating, penalty, evidence.astype(np.float64)), count, why_not, messages)
