"""FIDE's performance measures over the games of a period: ARO, TPR, PTP, APRO, APPO.

Source: the documentation of @echecs/performance-rating; FIDE Tie-Break Regulations 10.1–10.5, rating
regulations 8.1.1 and 8.1.2. All sums are of whole numbers: ratings are whole, points are counted in
half points, probabilities in hundredths.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ratings.columns.fide import EDGE, EXPECTED, dp
from ratings.columns.pairings import Pairings, compute_rounded_means, find_lowest_ratings, find_pairings
from ratings.columns.tallies import Floats, Records, Tallies, Truths, encode_sentences
from ratings.contract.method import (
    LOWEST_WINS,
    Method,
    MethodExample,
    RatedLine,
    Reach,
    ScoreColumn,
    build_records,
    format_games_to_go,
    ladder_winner,
    minimum_games,
)
from ratings.contract.parameters import choice, number, word_or_number
from ratings.contract.rounding import round_half_up, round_half_up_each
from ratings.contract.system import RatingSystem, Ruling
from ratings.contract.wording import Wording, format_plain
from ratings.texts import N_, mark_stored, say, say_many

MEASURES = ("points", "aro", "tpr", "ptp", "apro", "appo")
#: Reasons for a missing value, stored in English.
UNRATED = mark_stored("An opponent was unrated when the period began.")
NO_GAME = mark_stored("No game of the period counts for FIDE's measures.")
NO_PERFORMANCE = mark_stored("The opponents have no performance of their own.")


def tournament(points: float, *ratings: float) -> Records:
    """Return the records of player 0, who scored ``points`` against opponents with these ratings."""
    games: list[tuple[RatedLine, RatedLine]] = []
    remaining = points
    for seat in range(1, len(ratings) + 1):
        score = min(remaining, 1.0)
        remaining -= score
        games.append((RatedLine(0, score=score), RatedLine(seat, score=1.0 - score)))
    return build_records(games, before={0: 2000.0, **dict(enumerate(ratings, 1))})


@dataclass(frozen=True, kw_only=True)
class FidePerformance(Method):
    """Performance ratings as FIDE computes them."""

    key: ClassVar[str] = "fide_performance"
    title: ClassVar[str] = N_("FIDE performance")
    summary: ClassVar[str] = N_(
        "How strongly you played in the period, given your opponents: the rating that "
        "matches your score against them by FIDE's tables. Only games of two players that "
        "were actually played count."
    )
    headline: ClassVar[str] = N_("The rating that your results of the period deserve, by FIDE's tables.")
    source: ClassVar[str] = N_(
        "The documentation of @echecs/performance-rating; FIDE Tie-Break Regulations 10.1–10.5, rating regulations "
        "8.1.1 and 8.1.2"
    )
    formula: ClassVar[str] = (
        "r: the opponents' ratings before the period, s: points, m: games; no value if an "
        "opponent is unrated\nARO = mean of r, half up\nTPR = ARO + dp[p], p = 100 · s / m, "
        "half up\nPTP = the lowest whole R with Σ PD(R − r) ≥ s; 0%: min r − 800; 100%: max r "
        "+ 800\nAPRO, APPO = mean over the opponents met of their TPR, PTP, half up"
    )
    score_label: ClassVar[str] = N_("Performance")
    columns: ClassVar[tuple[ScoreColumn, ...]] = (
        ScoreColumn("points", N_("Points"), N_("1 for a win, ½ for a draw."), 1),
        ScoreColumn(
            "aro",
            "ARO",
            N_("Average rating of the opponents (10.1)."),
            words=N_("average rating of the opponents (ARO)"),
        ),
        ScoreColumn(
            "tpr",
            "TPR",
            N_("Tournament performance rating (10.2)."),
            words=N_("performance rating (TPR)"),
        ),
        ScoreColumn(
            "ptp",
            "PTP",
            N_("The exact performance: the lowest rating that makes these points expected (10.3)."),
            words=N_("exact performance rating (PTP)"),
        ),
        ScoreColumn(
            "apro",
            "APRO",
            N_("Average performance rating of the opponents (10.4)."),
            words=N_("average performance of the opponents (APRO)"),
        ),
        ScoreColumn(
            "appo",
            "APPO",
            N_("Average exact performance of the opponents (10.5)."),
            words=N_("average exact performance of the opponents (APPO)"),
        ),
    )
    reach: ClassVar[Reach] = "period"
    reads_before: ClassVar[bool] = True
    reads_tables: ClassVar[bool] = True
    tie_breaks: ClassVar[tuple[str, ...]] = ("tpr", "ptp", "points", "aro")
    rulings: ClassVar[tuple[Ruling, ...]] = (
        Ruling(
            "R8",
            "100 %",
            N_(
                "The source says max + 800 for PTP; FIDE's table alone would give max + 736. 0% is "
                "min − 800 in both cases."
            ),
            "perfect_score_bonus",
        ),
        Ruling(
            "R13",
            N_("Whole ratings"),
            N_("FIDE's tables cover only whole ratings: fractional ratings are rounded first, halves upwards."),
        ),
        Ruling(
            "R14",
            N_("Unrated opponents"),
            N_(
                "An opponent without a rated game before the period and without an initial rating is "
                "unrated. By default there is then no value; the game can be ignored, or a fixed "
                "number used as the rating."
            ),
            "unrated",
        ),
        Ruling(
            "R120",
            N_("No value instead of 0"),
            N_(
                "Without a game that counts, or if an opponent's rating is missing and no rule "
                "covers it, a measure has no value: it is shown as “–” and is null in the API, never "
                "0, and such players are not ranked."
            ),
        ),
        LOWEST_WINS,
    )
    examples: ClassVar[tuple[MethodExample, ...]] = (
        MethodExample(
            N_("Six opponents, 5 points"),
            lambda: tournament(5, 1830, 1914, 1867, 2255, 1818, 1990),
            0,
            {"score": 2219.0, "points": 5.0, "aro": 1946.0, "tpr": 2219.0, "ptp": 2259.0},
            printed=True,
        ),
        MethodExample(
            N_("2000 three times, 1½ points"),
            lambda: tournament(1.5, 2000, 2000, 2000),
            0,
            {"ptp": 1997.0},
            printed=True,
        ),
        MethodExample(
            N_("1800 and 1900, no points"), lambda: tournament(0, 1800, 1900), 0, {"ptp": 1000.0}, printed=True
        ),
        MethodExample(
            N_("1600, 1700 and 1900, 2½ points"),
            lambda: tournament(2.5, 1600, 1700, 1900),
            0,
            {"aro": 1733.0, "tpr": 2006.0, "ptp": 2033.0},
            printed=True,
        ),
        MethodExample(
            N_("100% by FIDE's table"), lambda: tournament(1, 1900), 0, {"ptp": 2636.0}, {"perfect_score_bonus": 736}
        ),
    )

    rank_by: str = choice(
        "tpr",
        {"tpr": "TPR", "ptp": "PTP", "aro": "ARO", "apro": "APRO", "appo": "APPO", "points": N_("points")},
        label=N_("Ranked by"),
        help=N_("The measure used as the score."),
    )
    unrated: str | float = word_or_number(
        "drop",
        {"drop": N_("there is no value"), "skip_game": N_("the game does not count")},
        label=N_("Unrated opponents"),
        low=0,
        high=4000,
        unit=N_("points"),
        help=N_("How an opponent without a rating is treated; a number is used as the rating."),
        source="R14",
    )
    perfect_score_bonus: float = number(
        800,
        label=N_("Bonus for 100%"),
        low=736,
        high=800,
        unit=N_("points"),
        whole=True,
        help=N_("PTP at 100% is the highest opponent's rating plus this."),
        source="R8",
    )
    ties: str = choice(
        "break",
        {"break": N_("decided by TPR, PTP, points, then ARO"), "share": N_("share a rank")},
        label=N_("Tied scores"),
        help=N_("How ties are broken."),
    )
    minimum: float = minimum_games(help=N_("Games that count, needed to qualify."))
    winner: str = ladder_winner()

    def wording(self) -> Wording:
        """Return the texts for these parameters."""
        unrated = {
            "drop": N_(
                "r: the opponents' ratings before the period, s: points, m: games; no value if an opponent is unrated"
            ),
            "skip_game": N_(
                "r: the opponents' ratings before the period, s: points, m: games; games against unrated opponents do "
                "not count"
            ),
        }
        instead = "" if isinstance(self.unrated, str) else format_plain(self.unrated)
        first = unrated.get(str(self.unrated)) or N_(
            "r: the opponents' ratings before the period, s: points, m: games; unrated opponents count as {instead}"
        )
        perfect = format_plain(self.perfect_score_bonus)
        lines = [
            say(first, instead=instead),
            say("ARO = mean of r, half up"),
            say("TPR = ARO + dp[p], p = 100 · s / m, half up"),
            say("PTP = the lowest whole R with Σ PD(R − r) ≥ s; 0%: min r − 800; 100%: max r + {bonus}", bonus=perfect),
            say("APRO, APPO = mean over the opponents met of their TPR, PTP, half up"),
        ]
        return replace(super().wording(), formula="\n".join(lines))

    def tabulate(self, records: Records) -> Tallies:
        """Return the measures; APRO and APPO need those of the opponents."""
        pairs, ratings = find_pairings(records, self.scores_in(records)), round_half_up_each(records.before)
        unknown = np.isnan(ratings)
        if self.unrated == "skip_game":
            pairs = pairs.which(~unknown[pairs.opponent])
        elif self.unrated != "drop":
            ratings = np.where(unknown, round_half_up(float(self.unrated)), ratings)
        games = np.bincount(pairs.of, minlength=len(records))
        unrated = np.zeros(len(records), dtype=bool)
        unrated[pairs.of[np.isnan(ratings[pairs.opponent])]] = True
        half_points = np.bincount(pairs.of, weights=pairs.half_points, minlength=len(records))
        values = {name: np.full(len(records), np.nan) for name in MEASURES}
        values["points"][games > 0] = half_points[games > 0] / 2.0
        has_performance = (games > 0) & ~unrated
        self.measure(values, pairs, ratings, has_performance)
        self.measure_opponents(values, pairs, has_performance)
        score = values[self.rank_by]
        lacking = (games == 0) | (unrated & (self.rank_by != "points"))
        message_keys = np.where(np.isnan(score), -1, np.minimum(games, int(self.minimum)))
        message_keys = np.where(games < self.minimum, games, message_keys)
        message_keys = np.where(lacking, np.where(games == 0, -2, -3), message_keys)
        why_not, messages = encode_sentences(message_keys, self.sentence)
        return Tallies(score, tuple(values.values()), games, why_not, messages)

    def measure(self, values: Mapping[str, Floats], found: Pairings, before: Floats, has: Truths) -> None:
        """Fill in ARO, TPR and PTP of the records that have a value."""
        order = np.flatnonzero(has[found.of])
        order = order[np.argsort(found.of[order], kind="stable")]
        if not len(order):
            return
        ratings = before[found.opponent[order]].astype(np.int64)
        record_index, starts, games = np.unique(found.of[order], return_index=True, return_counts=True)
        scored = np.add.reduceat(found.half_points[order], starts)
        aro = compute_rounded_means(np.add.reduceat(ratings, starts), games)
        percent = compute_rounded_means(50 * scored, games)
        low, high = np.minimum.reduceat(ratings, starts), np.maximum.reduceat(ratings, starts)
        ptp = find_lowest_ratings(ratings, starts, 50 * scored, EXPECTED, low - EDGE, high + EDGE)
        ptp = np.where(scored == 2 * games, high + int(self.perfect_score_bonus), ptp)
        values["aro"][record_index] = aro
        values["tpr"][record_index] = aro + np.array([dp(score_percent) for score_percent in range(101)])[percent]
        values["ptp"][record_index] = np.where(scored == 0, low - EDGE, ptp)

    def measure_opponents(self, values: Mapping[str, Floats], pairs: Pairings, has_performance: Truths) -> None:
        """Fill in APRO and APPO: the mean of the opponents' performances, once per game."""
        is_rated = has_performance[pairs.opponent]
        count = np.bincount(pairs.of[is_rated], minlength=len(has_performance))
        is_complete = has_performance & (count > 0)
        if self.unrated == "drop":
            is_complete &= count == np.bincount(pairs.of, minlength=len(has_performance))
        for mean_key, opponent_key in (("apro", "tpr"), ("appo", "ptp")):
            total = np.bincount(
                pairs.of[is_rated],
                weights=values[opponent_key][pairs.opponent[is_rated]],
                minlength=len(has_performance),
            )
            values[mean_key][is_complete] = compute_rounded_means(
                total[is_complete].astype(np.int64), count[is_complete]
            )

    def sentence(self, said: int) -> str:
        """Return why a player is not ranked, given a code of ``tabulate``."""
        messages = {-1: NO_PERFORMANCE, -2: NO_GAME, -3: UNRATED}
        return messages.get(said) or format_games_to_go(said, int(self.minimum))

    def chain(self) -> tuple[str, ...]:
        """Return the tie-breaks, if the league breaks ties."""
        return tuple(key for key in self.tie_breaks if key != self.rank_by) if self.ties == "break" else ()

    def refusal(self, system: type[RatingSystem]) -> str:
        """Refuse systems whose games never have two players."""
        if system.min_players <= 2:
            return ""
        return say_many(
            "{method} counts games of two players; {system} is for {count} or more.",
            "{method} counts games of two players; {system} is for {count} or more.",
            system.min_players,
            method=self.title,
            system=system.title,
            count=system.min_players,
        )
