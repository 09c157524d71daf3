"""Tie-breaks and ranks against FIDE's own checker, the package gacrux, over drawn tournaments.

The checker reads a TRF file. It changes its own state when it computes Fore Buchholz, so those codes come last.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from gacrux.tiebreak import tiebreak
from gacrux.trf2json import trf2json

from ratings.contract.competition import CompetitionData, PointsTable
from ratings.contract.result_table import tabulate_results
from ratings.contract.tie_break import TieBreakRules
from ratings.standings.ranking import rank_standings
from ratings.standings.tie_break_codes import parse_code
from tests.helpers.tiers import examples
from tests.ratings.tie_breaks.drawn_tournaments import (
    draw_irregular_swiss,
    draw_round_robin,
    draw_swiss,
    list_situations,
    write_trf,
)

CODES = (
    *("PTS", "WIN", "WON", "BPG", "BWG", "REP", "STD", "PS", "PS/C1", "PS/C2"),
    *("KS", "KS/L50", "KS/L60", "KS/L+1", "KS/L-2", "BH", "BH/C1", "BH/C2", "BH/M1", "BH/M2", "BH/P", "BH/C1/P"),
    *("AOB", "SB", "SB/C1", "SB/C2", "SB/P", "SB/C1/P", "ARO", "ARO/C1", "ARO/C2", "ARO/M1", "ARO/M2"),
    *("TPR", "PTP", "APRO", "APPO", "RTNG", "TPN"),
    *("BH/F", "FB", "FB/C1", "FB/C2", "FB/M1", "FB/M2", "FB/P", "AOB/F"),
)
LISTS = (
    ("PTS", "DE", "BH/C1", "SB", "TPN"),
    ("PTS", "DE/P", "KS", "DE"),
    ("PTS", "BH", "DE", "WIN"),
    ("PTS", "WON", "DE", "ARO"),
)
#: Points for a win, a draw, a loss and the pairing-allocated bye. The other byes have those of a win, a draw or none.
POINTS = [(3, 1, 0, 3), (3, 1, 0, 1), (3, 2, 1, 3), (1, 0.5, 0, 0.5)]
#: Edition -> the checker's modifier for it. Of the edition of 2023 it has only the cuts of ARO (ruling R153).
EDITIONS = {"2026-03-01": "", "2024-08-01": "/V1", "2023-07-01": "/V2022"}
CODES_OF_2023 = ("PTS", "ARO", "ARO/C1", "ARO/C2", "ARO/M1", "ARO/M2", "TPR")


def check(
    competition: CompetitionData, codes: Sequence[str], edition: str
) -> dict[int, tuple[int, dict[str, Fraction | None]]]:
    """Return the checker's rank and values of each entry."""
    reader = trf2json()
    reader.parse_file(write_trf(competition), False)
    tournament = reader.get_tournament(1)
    rr = competition.predetermined
    written = [code + EDITIONS[edition] for code in codes]
    parameters = {"tiebreak": written, "check": False, "unrated": None, "pre_determined": rr, "swiss": not rr}
    found = tiebreak(tournament, -1, parameters).compute_tiebreaks(tournament, parameters)
    return {
        line["cid"]: (
            line["rank"],
            {
                code: None if value is None else Fraction(value)
                for code, value in zip(codes, line["tiebreakScore"], strict=True)
            },
        )
        for line in found["competitors"]
    }


def with_points(
    competition: CompetitionData, win: float, draw: float, loss: float, pairing_bye: float
) -> CompetitionData:
    """Return a competition with another table of points."""
    points = {"win": win, "draw": draw, "loss": loss, "pairing_bye": pairing_bye}
    points |= {"full_bye": win, "half_bye": draw, "forfeit_win": win}
    return replace(competition, points=PointsTable.from_json(points))


def differences(competition: CompetitionData, edition: str, codes: Sequence[str] = CODES) -> list[str]:
    """Return the values that differ from the checker's, and the ranks by ``LISTS`` (by ``codes`` if given)."""
    # The checker's PTP at 100% is FIDE's table alone (ruling R8).
    rules = TieBreakRules(regulations=edition, perfect_score_bonus=736)
    table, theirs, found = tabulate_results(competition), check(competition, codes, edition), []
    for code in codes:
        choice = parse_code(code, rules)
        # Ruling R146: the checker has three decimals from nine rounds on.
        tolerance = Fraction(1, 100) if code.startswith("AOB") and table.rounds >= 9 else Fraction(0)
        for entry in table.results:
            ours, checked = choice.tally(table, entry).value, theirs[entry][1][code]
            same = ours == checked or (ours is not None and checked is not None and abs(ours - checked) < tolerance)
            if not same:
                found.append(f"{code} of {entry}: {ours}, not {checked}")
    for listed in LISTS if codes is CODES else (codes,):
        ranks = check(competition, listed, edition)
        for row in rank_standings(competition, listed, rules).rows:
            if row.rank != ranks[row.entry][0]:
                found.append(f"rank of {row.entry} by {listed}: {row.rank}, not {ranks[row.entry][0]}")
    return found


@pytest.mark.parametrize("edition", ["2026-03-01", "2024-08-01"])
def test_drawn_tournaments(edition: str) -> None:
    for seed in range(examples(30)):
        assert differences(draw_swiss(Random(seed)), edition) == [], seed
    for seed in range(examples(10)):
        assert differences(draw_round_robin(Random(seed)), edition) == [], seed


def test_drawn_tournaments_with_many_unplayed_rounds() -> None:
    situations = set()
    for seed in range(12):
        competition = draw_irregular_swiss(Random(seed))
        situations |= list_situations(competition)
        assert differences(competition, ("2026-03-01", "2026-03-01", "2024-08-01")[seed % 3]) == [], seed
    kinds = ("forfeit", "double forfeit", "pairing_bye", "full_bye", "half_bye", "zero_bye")
    irregular = {kind + at_the_end for kind in kinds for at_the_end in ("", " in the last round")}
    assert situations == {*irregular, "odd number", "never played", "absent in the last round"}


@pytest.mark.parametrize("points", POINTS)
def test_drawn_tournaments_with_other_points(points: tuple[float, ...]) -> None:
    for seed in range(3):
        assert differences(with_points(draw_irregular_swiss(Random(seed)), *points), "2026-03-01") == [], seed


def test_the_cuts_of_aro_in_the_edition_of_2023() -> None:
    for seed in range(examples(100)):
        assert differences(draw_swiss(Random(seed)), "2023-07-01", CODES_OF_2023) == [], seed


@pytest.mark.slow("A thousand tournaments; a few are held above.")
@pytest.mark.uncounted("Runs the lines that the few run.")
@pytest.mark.parametrize("first", range(0, 1000, 100))
def test_a_thousand_drawn_tournaments(first: int) -> None:
    for edition in ("2026-03-01", "2024-08-01"):
        for seed in range(first, first + 100):
            assert differences(draw_swiss(Random(seed)), edition) == [], seed
        for seed in range(first, first + 20):
            assert differences(draw_round_robin(Random(seed)), edition) == [], seed


@pytest.mark.slow("Two hundred tournaments; twelve are held above.")
@pytest.mark.uncounted("Runs the lines that the twelve run.")
@pytest.mark.parametrize("edition", ["2026-03-01", "2024-08-01"])
def test_many_drawn_tournaments_with_many_unplayed_rounds(edition: str) -> None:
    for seed in range(200, 400):
        assert differences(draw_irregular_swiss(Random(seed)), edition) == [], seed
        points = POINTS[seed % len(POINTS)]
        assert differences(with_points(draw_irregular_swiss(Random(seed)), *points), edition) == [], seed
