"""A points table: points for a win, a draw and a loss, or the sum of the scores."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ratings.columns.tallies import Floats, Records, Tallies, Truths, encode_sentences
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
from ratings.texts import N_, say


def compute_outcomes(records: Records, score: Floats) -> tuple[Truths, Truths]:
    """Return which lines are wins and which are draws; score: N, higher is better.

    Alone at the top is a win, at the top with others a draw, anything else (including a game without places and scores)
    a loss. Partners count as one.
    """
    starts, game = records.tables()
    values, has_finish = records.finishes(score)
    top = (values == np.maximum.reduceat(values, starts)[game]) & has_finish
    alone = (np.add.reduceat((top & records.heads()).astype(np.int64), starts) == 1)[game]
    return top & alone, top & ~alone


def season(*games: tuple[float, float]) -> Records:
    """Return the records of players 1 and 2 after games between them with these scores."""
    return build_records(
        [(RatedLine(1, score=score), RatedLine(2, score=opponent_score)) for score, opponent_score in games]
    )


@dataclass(frozen=True, kw_only=True)
class PointsMethod(Method):
    """A points table."""

    key: ClassVar[str] = "points"
    title: ClassVar[str] = N_("Points table")
    summary: ClassVar[str] = N_(
        "Points for every game of the period, added up, for wins, draws and losses. With "
        "more than two players, being alone at the top is a win, sharing the top a draw. "
        "Partners win together."
    )
    headline: ClassVar[str] = N_("Points for every win and draw of the period, added up.")
    source: ClassVar[str] = N_("Custom in many leagues")
    formula: ClassVar[str] = "points = 1 · wins + ½ · draws + 0 · losses"
    score_label: ClassVar[str] = N_("Points")
    score_unit: ClassVar[str] = "points"
    columns: ClassVar[tuple[ScoreColumn, ...]] = (
        ScoreColumn("wins", N_("Won"), N_("Games won.")),
        ScoreColumn("draws", N_("Drawn"), N_("Games drawn.")),
        ScoreColumn("losses", N_("Lost"), N_("Games lost.")),
        ScoreColumn("sum", N_("Scores"), N_("The scores added up; negated first if the lowest score wins."), 1),
        ScoreColumn("mean", N_("Per game"), N_("Points per game."), 2),
    )
    decimals: ClassVar[int] = 1
    reads_tables: ClassVar[bool] = True
    tie_breaks: ClassVar[tuple[str, ...]] = ("wins", "sum")
    rulings: ClassVar[tuple[Ruling, ...]] = (LOWEST_WINS,)
    examples: ClassVar[tuple[MethodExample, ...]] = (
        MethodExample(
            N_("Two wins, a draw and a loss"),
            lambda: season((1, 0), (1, 0), (0.5, 0.5), (0, 1)),
            1,
            {"score": 2.5, "wins": 2.0, "draws": 1.0, "losses": 1.0, "sum": 2.5, "mean": 0.625},
            note=N_("Calculated by hand."),
        ),
        MethodExample(
            N_("The same with three points per win"),
            lambda: season((1, 0), (1, 0), (0.5, 0.5), (0, 1)),
            1,
            {"score": 7.0},
            {"win": 3, "draw": 1, "loss": 0},
            note=N_("Calculated by hand."),
        ),
    )

    count: str = choice(
        "outcomes",
        {
            "outcomes": N_("points for a win, a draw and a loss"),
            "scores": N_("the scores on the sheets, negated first if the lowest score wins"),
        },
        label=N_("Added up"),
        help=N_("What a game is worth."),
    )
    win: float = number(1, label=N_("A win"), low=-1000, high=1000, unit=N_("points"), help=N_("What a win is worth."))
    draw: float = number(
        0.5, label=N_("A draw"), low=-1000, high=1000, unit=N_("points"), help=N_("What a draw is worth.")
    )
    loss: float = number(
        0, label=N_("A loss"), low=-1000, high=1000, unit=N_("points"), help=N_("What a loss is worth.")
    )
    ties: str = choice(
        "break",
        {"break": N_("decided by wins, then by the scores added up"), "share": N_("share a rank")},
        label=N_("Tied points"),
        help=N_("How ties are broken."),
    )
    minimum: float = minimum_games()
    winner: str = ladder_winner()

    def wording(self) -> Wording:
        """Return the texts for these parameters."""
        if self.count == "scores":
            summary = N_("The scores on the sheets of the period, added up.")
            return replace(super().wording(), summary=summary, formula=say("points = the sum of the scores"))
        formula = say(
            "points = {win} · wins + {draw} · draws + {loss} · losses",
            win=format_plain(self.win),
            draw=format_plain(self.draw),
            loss=format_plain(self.loss),
        )
        return replace(super().wording(), formula=formula.replace("+ −", "− "))

    def reads_past(self) -> bool:
        """Return False: only results of the period earn points."""
        return False

    def tabulate(self, records: Records) -> Tallies:
        """Return the points, added up in the order of the games."""
        counted = self.scores_in(records)
        won, drawn = compute_outcomes(records, counted)
        lost = ~(won | drawn)
        wins, draws, losses = (records.counts(went).astype(np.float64) for went in (won, drawn, lost))
        total = records.sums(np.nan_to_num(counted, nan=0.0))
        score, games = total, records.counts()
        if self.count == "outcomes":
            score = records.sums(np.where(won, self.win, np.where(drawn, self.draw, self.loss)))
        why_not, messages = encode_sentences(games, lambda count: format_games_to_go(count, int(self.minimum)))
        return Tallies(score, (wins, draws, losses, total, score / games + 0.0), games, why_not, messages)

    def deciding_figure(self) -> Counted:
        """Return what earns points."""
        return "score" if self.count == "scores" else "win"

    def unplayed(self) -> float:
        """Return 0 points."""
        return 0.0

    def chain(self) -> tuple[str, ...]:
        """Return the tie-breaks, if the league breaks ties."""
        return self.tie_breaks if self.ties == "break" else ()
