"""Unplayed rounds in FIDE's tie-break regulations (articles 15 and 16; article 14 in the edition of 2023)."""

from collections.abc import Sequence
from typing import NamedTuple

from ratings.contract.declarations import Ruling
from ratings.contract.result_table import REQUESTED_BYES, ResultTable, RoundResult
from ratings.contract.tie_break import TallyLine, TieBreakOptions, compute_once
from ratings.texts import N_

FIRST_EDITION, NEWEST_EDITION = "2023-07-01", "2026-03-01"
AS_PLAYED = N_("forfeit, counted as a game against the scheduled opponent")
DUMMY = N_("not played: counts as an opponent with the same points")
DUMMY_CAPPED_BY_OPPONENT = N_("not played: counts with the points of the scheduled opponent")
DUMMY_CAPPED_BY_DRAWS = N_("not played: counts with a draw in every round")

UNPLAYED = Ruling(
    "R141",
    N_("Unplayed rounds"),
    N_(
        "Requested byes at the end count as draws for the opponents; the dummy of an own unplayed round has one's own "
        "points. Since 1 March 2026 it has at most those of the scheduled opponent, or a draw in every round. The "
        "edition of 1 July 2023 also counts forfeit losses at the end as draws, and its cuts always leave out a "
        "voluntary unplayed round first."
    ),
    "regulations",
)
ROUNDS_SO_FAR = Ruling(
    "R142",
    N_("Rounds before the end"),
    N_(
        "Article 16.4.2 caps the dummy by a draw in each round of the tournament. Before the end, these are the rounds "
        "so far. FIDE's checker decides in the same way."
    ),
)
FORFEITS_AS_PLAYED = Ruling(
    "R151",
    N_("Forfeits with /P"),
    N_(
        "FIDE's list of codes explains /P by an article that no longer covers it. Here a forfeit counts as a game "
        "against the scheduled opponent, with that opponent's points as adjusted by article 16.3, and is no voluntary "
        "unplayed round. FIDE's checker decides in the same way."
    ),
)


class OpponentScores(NamedTuple):
    """An entry's rounds, with the points in units that each round's opponent, or the dummy of an unplayed one, counts.

    ``results``: of the same rounds. ``voluntary``: the positions of voluntary unplayed rounds (see ``RoundResult``).
    """

    lines: list[TallyLine]
    results: list[RoundResult]
    voluntary: list[int]


def select_results(table: ResultTable, fore: bool) -> dict[int, list[RoundResult]]:
    """Return the results, for Fore Buchholz with all paired games of the final round as draws (8.3)."""
    if not fore:
        return table.results
    last, draw = table.competition.last_round, table.draw

    def drawn(result: RoundResult) -> RoundResult:
        if result.round != last or not result.opponent:
            return result
        return result._replace(kind="played", points=draw, half_points=1)

    return compute_once(
        table,
        "fore results",
        lambda: {entry: [drawn(result) for result in lines] for entry, lines in table.results.items()},
    )


def sum_own_points(table: ResultTable, fore: bool) -> dict[int, int]:
    """Return each entry's own points in units."""
    if not fore:
        # What an arbiter added is of no round (R175).
        return {entry: table.sum_rounds(entry) for entry in table.points} if table.added else table.points
    return compute_once(
        table,
        "fore points",
        lambda: {entry: sum(result.points for result in lines) for entry, lines in select_results(table, True).items()},
    )


def adjust_points(table: ResultTable, options: TieBreakOptions) -> dict[int, int]:
    """Return each entry's points in units as they count for its opponents (16.3).

    Requested byes at the end, followed by voluntary unplayed rounds only, are draws; in the edition of 2023 so are
    forfeit losses at the end.
    """
    if table.competition.predetermined:
        return sum_own_points(table, options.fore)
    first_edition = options.rules.regulations == FIRST_EDITION

    def adjusted(lines: Sequence[RoundResult]) -> int:
        total, at_the_end = 0, True
        for result in reversed(lines):
            at_the_end &= result.voluntary
            as_draw = at_the_end and (first_edition or result.kind in REQUESTED_BYES)
            total += table.draw if as_draw else result.points
        return total

    return compute_once(
        table,
        ("adjusted points", options.fore, first_edition),
        lambda: {entry: adjusted(lines) for entry, lines in select_results(table, options.fore).items()},
    )


def score_opponents(table: ResultTable, entry: int, options: TieBreakOptions) -> OpponentScores:
    """Return what each round's opponent counts for an entry's own tie-breaks (16.4)."""
    key = ("opponent scores", entry, options.fore, options.forfeits_played, options.rules.regulations)
    return compute_once(table, key, lambda: _opponent_scores(table, entry, options))


def _opponent_scores(table: ResultTable, entry: int, options: TieBreakOptions) -> OpponentScores:
    predetermined = table.competition.predetermined
    forfeits_played = predetermined or options.forfeits_played
    adjusted, own = adjust_points(table, options), sum_own_points(table, options.fore)[entry]
    capped = options.rules.regulations == NEWEST_EDITION
    scores = OpponentScores([], [], [])
    for result in select_results(table, options.fore)[entry]:
        kind, opponent = result.kind, result.opponent
        if kind == "planned":
            continue
        if opponent and (kind == "played" or forfeits_played):
            score, note = adjusted[opponent], "" if kind == "played" else AS_PLAYED
        elif predetermined:
            continue
        else:
            score, note = own, DUMMY
            cap = adjusted[opponent] if opponent else table.draw * table.rounds
            if capped and cap < own:
                score, note = cap, DUMMY_CAPPED_BY_OPPONENT if opponent else DUMMY_CAPPED_BY_DRAWS
            if result.voluntary:
                scores.voluntary.append(len(scores.lines))
        scores.lines.append(TallyLine(result.round, opponent, score, note))
        scores.results.append(result)
    return scores


def select_left_out(scores: OpponentScores, lines: Sequence[TallyLine], options: TieBreakOptions) -> frozenset[int]:
    """Return the positions that the modifiers leave out (14.1–14.4): the least significant first, then the most.

    The least significant is the amount of the opponent with the lowest score. Instead, the lowest amount of a voluntary
    unplayed round is left out, unless it is lower (16.5); in the edition of 2023 always.
    """
    if not (options.cut_low or options.cut_high):
        return frozenset()
    always = options.rules.regulations == FIRST_EDITION
    amounts = [(score.amount, line.amount) for score, line in zip(scores.lines, lines, strict=True)]
    remaining, voluntary = sorted(range(len(lines)), key=amounts.__getitem__), list(scores.voluntary)
    for _ in range(min(options.cut_low, len(remaining))):
        least = remaining[0]
        if voluntary:
            lowest = min(voluntary, key=lambda at: (lines[at].amount, amounts[at]))
            if always or lines[lowest].amount >= lines[least].amount:
                least = lowest
        remaining.remove(least)
        if least in voluntary:
            voluntary.remove(least)
    if options.cut_high:
        del remaining[-options.cut_high :]
    return frozenset(range(len(lines))).difference(remaining)
