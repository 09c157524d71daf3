"""The rating at the end of the period less some deviations: a lower bound of the player's likely strength.

Source: M. E. Glickman, "Example of the Glicko-2 system": the lower end of the interval given by a rating and its RD.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from ratings.columns.tallies import Records, Tallies, encode_sentences
from ratings.contract.method import (
    Method,
    MethodExample,
    RatedLine,
    ScoreColumn,
    build_records,
    format_games_to_go,
    minimum_games,
)
from ratings.contract.parameters import number
from ratings.contract.system import RatingSystem, Ruling
from ratings.contract.wording import Wording, format_plain
from ratings.texts import N_, say


def rated(rating: float, deviation: float) -> Records:
    """Return the records of one player with this rating and deviation after one game."""
    return build_records([[RatedLine(1, after=rating, deviation=deviation)]])


@dataclass(frozen=True, kw_only=True)
class ConservativeRating(Method):
    """The rating less a multiple of its deviation."""

    key: ClassVar[str] = "conservative_rating"
    title: ClassVar[str] = N_("Conservative rating")
    summary: ClassVar[str] = N_(
        "Your rating at the end of the period minus two deviations: the level you very "
        "likely reach. Playing makes the rating more certain, so a high score needs games. "
        "You must have played in the period."
    )
    headline: ClassVar[str] = N_("Your rating minus two deviations: the level that you very likely reach.")
    source: ClassVar[str] = N_("M. E. Glickman, “Example of the Glicko-2 system”: the lower end of a rating's interval")
    formula: ClassVar[str] = "score = R − 2 · RD"
    score_label: ClassVar[str] = N_("Score")
    columns: ClassVar[tuple[ScoreColumn, ...]] = (
        ScoreColumn("rating", N_("Rating"), N_("Rating at the period's end."), 2),
        ScoreColumn(
            "deviation", N_("Deviation"), N_("How uncertain the rating is after the last game of the period."), 2
        ),
    )
    decimals: ClassVar[int] = 2
    reads_ratings: ClassVar[bool] = True
    reads_scores: ClassVar[bool] = False
    tie_breaks: ClassVar[tuple[str, ...]] = ("rating",)
    rulings: ClassVar[tuple[Ruling, ...]] = (
        Ruling(
            "R135",
            N_("The deviation in a period"),
            N_(
                "Rating and deviation are those after the player's last game of the period. The "
                "increase for days of absence until the end of the period is not counted: it is "
                "applied with the player's next game, on every page; otherwise an open ladder would "
                "change every day without a game. Both use the rating's own unit, even if a "
                "leaderboard uses another scale."
            ),
        ),
    )
    examples: ClassVar[tuple[MethodExample, ...]] = (
        MethodExample(
            N_("A rating of 1850 with a deviation of 50"),
            lambda: rated(1850.0, 50.0),
            1,
            {"score": 1750.0, "rating": 1850.0, "deviation": 50.0},
            printed=True,
        ),
        MethodExample(
            N_("The same minus three deviations"),
            lambda: rated(1850.0, 50.0),
            1,
            {"score": 1700.0},
            {"deviations": 3},
            note=N_("Calculated by hand."),
        ),
    )

    deviations: float = number(
        2,
        label=N_("Deviations"),
        low=0,
        high=10,
        help=N_("Number of deviations subtracted; with two, about 98 of 100 players play at least that well."),
        source="R135",
    )
    minimum: float = minimum_games()

    def wording(self) -> Wording:
        """Return the texts for these parameters."""
        if self.deviations == 0:
            summary = N_("Your rating at the end of the period. You must have played in the period.")
            return replace(super().wording(), summary=summary, formula=say("score = R"))
        summary = self.summary
        if self.deviations != type(self).defaults()["deviations"]:
            summary = N_(
                "Your rating at the end of the period minus a multiple of its deviation. Playing "
                "makes the rating more certain, so a high score needs games. You must have played in "
                "the period."
            )
        formula = say("score = R − {deviations} · RD", deviations=format_plain(self.deviations))
        return replace(super().wording(), summary=summary, formula=formula)

    def refusal(self, system: type[RatingSystem]) -> str:
        """Refuse systems without deviations."""
        if system.deviates:
            return ""
        return say(
            "{method} subtracts deviations from the rating; {system} has none.", method=self.title, system=system.title
        )

    def tabulate(self, records: Records) -> Tallies:
        """Return the final ratings less the deviations."""
        games, deviation = records.counts(), records.lines.deviation[records.last()]
        why_not, messages = encode_sentences(games, lambda count: format_games_to_go(count, int(self.minimum)))
        score = records.rating - self.deviations * deviation
        return Tallies(score, (records.rating, deviation), games, why_not, messages)
