"""The mean of adjusted scores, pulled towards the base while there are few games: the monthly ladder of Barbu.

Source: "How the rating system works", the online Barbu ladder, with its earlier forms.
"""

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ratings.columns.tallies import Records, Tallies, apply_to_distinct, encode_sentences
from ratings.contract.method import Counted, Method, MethodExample, RatedLine, ScoreColumn, build_records
from ratings.contract.parameters import choice, number
from ratings.contract.system import Preset, Ruling
from ratings.contract.wording import Wording, format_plain
from ratings.texts import N_, mark_stored, say

NO_SCORE = mark_stored("The rating system gives no adjusted score for these games.")
SQRT_2005 = {"factor": "sqrt_2005"}


def games_of(score: float, games: int) -> Records:
    """Return the records of one player with ``games`` games of one adjusted score."""
    return build_records([[RatedLine(1, performance=score)]] * games)


@dataclass(frozen=True, kw_only=True)
class ErfMean(Method):
    """The mean of the adjusted scores times the games factor."""

    key: ClassVar[str] = "erf_mean"
    title: ClassVar[str] = N_("Average of adjusted scores")
    summary: ClassVar[str] = N_(
        "The average of your adjusted scores (what each game was worth given your "
        "opponents), times a factor that grows with the number of games. A good month with "
        "many games beats a very good one with few."
    )
    headline: ClassVar[str] = N_("Your average adjusted score, times a factor that grows with your games.")
    source: ClassVar[str] = N_("“How the rating system works”, the online Barbu ladder")
    formula: ClassVar[str] = (
        "g games in the period, S the average of their adjusted scores\nshown = average · erf(g / 20) + 1000"
    )
    score_label: ClassVar[str] = N_("Score")
    columns: ClassVar[tuple[ScoreColumn, ...]] = (
        ScoreColumn("mean", N_("Mean"), N_("Average of the adjusted scores."), 2),
        ScoreColumn("factor", N_("Factor"), N_("Multiplies the average; it grows with the number of games."), 3),
    )
    decimals: ClassVar[int] = 2
    reads_scores: ClassVar[bool] = False
    rulings: ClassVar[tuple[Ruling, ...]] = (
        Ruling(
            "R6",
            N_("The ladder of April 2005"),
            N_("The formula is garbled in the source; read as mean · √g / (4 · 0.05^(−1/g)) + 1000."),
            "factor",
        ),
        Ruling(
            "R7",
            N_("Negative averages"),
            N_(
                "The games factor raises a negative average, although the text says that it reduces "
                "it; we keep the formula."
            ),
        ),
    )
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset("2004-01", N_("January 2004: the plain average"), {"factor": "none"}, "2004-01-01"),
        Preset("2005-04", N_("April 2005: square root of the games"), {"factor": "sqrt_2005"}, "2005-04-01"),
        Preset("2005-06", N_("June 2005: erf of the games"), {}, "2005-06-01"),
    )
    examples: ClassVar[tuple[MethodExample, ...]] = (
        MethodExample(
            N_("+50 over 40 games"), lambda: games_of(50.0, 40), 1, {"score": 1049.766113250948}, tolerance=5e-13
        ),
        MethodExample(
            N_("+80 over 10 games"), lambda: games_of(80.0, 10), 1, {"score": 1041.639990225044}, tolerance=5e-13
        ),
        MethodExample(N_("1 game"), lambda: games_of(1.0, 1), 1, {"factor": 0.056371977797017}, tolerance=5e-16),
        MethodExample(N_("5 games"), lambda: games_of(1.0, 5), 1, {"factor": 0.276326390168237}, tolerance=5e-16),
        MethodExample(N_("10 games"), lambda: games_of(1.0, 10), 1, {"factor": 0.520499877813047}, tolerance=5e-16),
        MethodExample(N_("20 games"), lambda: games_of(1.0, 20), 1, {"factor": 0.842700792949715}, tolerance=5e-16),
        MethodExample(N_("40 games"), lambda: games_of(1.0, 40), 1, {"factor": 0.995322265018953}, tolerance=5e-16),
        MethodExample(
            N_("April 2005, 1 game"), lambda: games_of(1.0, 1), 1, {"factor": 0.0125}, SQRT_2005, tolerance=5e-4
        ),
        MethodExample(
            N_("April 2005, 20 games"), lambda: games_of(1.0, 20), 1, {"factor": 0.963}, SQRT_2005, tolerance=5e-4
        ),
        MethodExample(
            N_("April 2005, 40 games"), lambda: games_of(1.0, 40), 1, {"factor": 1.467}, SQRT_2005, tolerance=5e-4
        ),
    )

    factor: str = choice(
        "erf",
        {
            "erf": N_("erf(g / games)"),
            "sqrt_2005": N_("√g / (4 · 0.05^(−1/g)) (April and May 2005)"),
            "none": N_("1, the plain average (before April 2005)"),
        },
        label=N_("Games factor"),
        help=N_("The factor by which the average is multiplied, for g games."),
        source="R6",
    )
    games: float = number(
        20,
        label=N_("Games"),
        low=1,
        high=10_000,
        unit=N_("games"),
        help=N_("After this many games erf gives 84% of the average, after twice as many 99.5%."),
    )
    base: float = number(
        1000,
        label=N_("Base"),
        low=-1e6,
        high=1e6,
        unit=N_("points"),
        help=N_("Added to the result: a player who plays as expected has this score."),
    )

    def wording(self) -> Wording:
        """Return the texts for these parameters."""
        factor = {
            "erf": f" · erf(g / {format_plain(self.games)})",
            "sqrt_2005": " · √g / (4 · 0.05^(−1/g))",
            "none": "",
        }[self.factor]
        sign, base = ("−", -self.base) if self.base < 0 else ("+", self.base)
        score_line = say("shown = average{factor} {sign} {base}", factor=factor, sign=sign, base=format_plain(base))
        summary = self.summary
        if self.factor == "none":
            summary = N_(
                "The average of your adjusted scores (what each game was worth given your "
                "opponents), whatever the number of games."
            )
        games = say("g games in the period, S the average of their adjusted scores")
        formula = f"{games}\n{score_line}"
        return replace(super().wording(), summary=summary, formula=formula)

    def tabulate(self, records: Records) -> Tallies:
        """Return base + mean × factor over the games that have an adjusted score."""
        scores = records.lines.performance
        has_score = ~np.isnan(scores)
        count, total = records.counts(has_score), records.sums(scores, has_score)
        has_games = count > 0
        mean, factor = np.full(len(records), np.nan), np.full(len(records), np.nan)
        mean[has_games] = total[has_games] / count[has_games] + 0.0
        factor[has_games] = apply_to_distinct(count[has_games], self.games_factor)
        why_not, messages = encode_sentences(count, lambda games: "" if games else NO_SCORE)
        return Tallies(mean * factor + self.base, (mean, factor), count, why_not, messages)

    def deciding_figure(self) -> Counted:
        """Return the adjusted score."""
        return "performance"

    def unplayed(self) -> float | None:
        """Return the base, at which the factor is 0; the plain mean has no such score."""
        return None if self.factor == "none" else self.base

    def factor_of(self, games: int) -> float | None:
        """Return the games factor; the plain mean has none."""
        return None if self.factor == "none" else self.games_factor(games)

    def games_factor(self, games: int) -> float:
        """Return the factor of the mean after ``games`` games."""
        if self.factor == "erf":
            return math.erf(games / self.games)
        if self.factor == "sqrt_2005":
            return math.sqrt(games) / (4.0 * math.pow(0.05, -1.0 / games))
        return 1.0
