"""Tie-breaks against published values (see ``published_tournaments``)."""

from fractions import Fraction

import pytest

from ratings.contract.competition import CompetitionData
from ratings.contract.result_table import tabulate_results
from ratings.contract.tie_break import TieBreakRules
from ratings.standings.ranking import rank_standings
from ratings.standings.tie_break_codes import parse_code
from tests.ratings.tie_breaks.published_tournaments import build_player_record, long_swiss, round_robin, swiss

EXERCISES = TieBreakRules(regulations="2024-08-01")

#: Exercises 1 to 20 and 27 to 33, for the 16 players in order of their numbers.
SWISS_VALUES = {
    "PTS": "3.5 4 3.5 3.5 2.5 3 1.5 2.5 1.5 1 2.5 2 1.5 2 2 3.5",
    "BH": "12.5 13 15.5 15 8.5 12 14.5 13.5 9 13 13.5 11.5 14 11 12 12.5",
    "BH/C1": "11 12 13 11.5 7.5 11 12.5 12 7.5 11.5 12 9.5 12 9 11 11",
    "AOB": "12.6 13.6 13.4 13.38 13.4 13.25 11.9 13 12.75 10.9 12.75 15 12.1 13.17 12.2 13.3",
    "FB": "13.5 13.5 15 15.5 10 12 13.5 12.5 9.5 12.5 12.5 11.5 13.5 10.5 12 13.5",
    "SB": "8 9.5 10.5 9.75 4.25 6.5 3.25 5.25 2.25 1.5 5.75 4 4.25 4.5 3.5 7.25",
    "SB/C1": "7.25 8.5 9.25 8 3.25 5.5 1.25 3.75 2.25 0 4.25 4 4.25 3 2.5 5.75",
    "ARO": "1820 1880 1940 1888 1690 1813 1760 1730 1975 1880 1863 2050 1930 1800 1860 1820",
    "ARO/C1": "1900 1988 2000 1983 1738 1900 1838 1800 2200 1975 2000 - 2025 1900 1963 1900",
    "TPR": "1969 2120 2089 2081 1690 1813 1611 1730 1175 1640 1776 1250 1781 1925 1788 1969",
    "WIN": "2 3 2 2 2 3 1 2 1 1 2 2 1 2 2 3",
    "WON": "2 3 2 2 2 2 1 2 0 1 1 0 1 2 2 3",
    "BPG": "2 3 2 2 2 2 3 2 1 3 2 0 3 2 3 2",
    "BWG": "1 1 1 1 0 1 0 0 0 1 0 0 1 1 1 1",
    "GE": "5 5 5 4 5 5 5 5 3 5 5 3 5 3 5 5",
    "PS": "11 13 11 11.5 5 6 6 8.5 2.5 4 5.5 7 7 6 7 10.5",
    "PS/C1": "10 12 10.5 10.5 5 6 5 8 2.5 4 5 7 6 5 7 10",
}
#: The same tournament by the regulations of March 2026: the caps of 16.4, worked out by hand. David (4) had a
#: half-point bye: 2.5 = half of 5 rounds instead of 3.5. Franck (6) had a pairing-allocated bye: 2.5 instead of 3.
#: Maria (11) won by forfeit against 1.5 points: 1.5 instead of 2.5.
CAPPED = {
    "BH": {4: "14", 6: "11.5", 11: "12.5"},
    "BH/C1": {4: "11.5", 6: "10.5", 11: "11"},
    "SB": {4: "9.25", 6: "6", 11: "4.75"},
    "SB/C1": {4: "7.75", 6: "5", 11: "3.25"},
    "FB": {4: "14.5", 11: "12", 12: "11"},
}
ROUND_ROBIN_VALUES = {
    "PTS": "3.5 3.5 3.5 1.5 1.5 1.5",
    "SB": "9.25 6.25 6.25 4.25 3.25 2.25",
    "SB/C1": "9.25 4.75 4.75 4.25 3.25 1.5",
    "KS": "2 0.5 0.5 1 0.5 0",
}


def values(competition: CompetitionData, code: str, rules: TieBreakRules) -> dict[int, Fraction | None]:
    """Return the value of each entry."""
    table, choice = tabulate_results(competition), parse_code(code, rules)
    return {entry: choice.tally(table, entry).value for entry in table.results}


def printed(line: str) -> dict[int, Fraction | None]:
    """Return the values of a printed line by entry; a dash is no value."""
    return {number: None if word == "-" else Fraction(word) for number, word in enumerate(line.split(), 1)}


@pytest.mark.parametrize("code", SWISS_VALUES)
def test_the_swiss_of_the_exercises(code: str) -> None:
    assert values(swiss(), code, EXERCISES) == printed(SWISS_VALUES[code])


@pytest.mark.parametrize("code", [code for code in SWISS_VALUES if code != "AOB"])
def test_only_the_caps_of_2026_change_the_exercises(code: str) -> None:
    changed = {number: Fraction(word) for number, word in CAPPED.get(code, {}).items()}
    assert values(swiss(), code, TieBreakRules()) == printed(SWISS_VALUES[code]) | changed


def test_aob_by_the_regulations_of_2026() -> None:
    # The opponents of Alyx have 9, 14, 13, 12 and 14 (David: instead of 15). Nick met only David.
    found = values(swiss(), "AOB", TieBreakRules())
    assert (found[1], found[12]) == (Fraction("12.4"), Fraction(14))


@pytest.mark.parametrize("code", ROUND_ROBIN_VALUES)
@pytest.mark.parametrize("regulations", ["2026-03-01", "2024-08-01", "2023-07-01"])
def test_the_round_robin_of_the_exercises(code: str, regulations: str) -> None:
    assert values(round_robin(), code, TieBreakRules(regulations=regulations)) == printed(ROUND_ROBIN_VALUES[code])


def test_exercises_21_and_22_performances() -> None:
    found = values(swiss(), "APRO", EXERCISES)
    assert {number: found[number] for number in (1, 3, 4, 16)} == {1: 1789, 3: 1904, 4: 1772, 16: 1805}
    assert values(swiss(), "PTP", EXERCISES)[3] == 2112


@pytest.mark.parametrize(
    ("competition", "ranks"),
    [
        # Exercises 23 and 24: nobody is separated.
        (swiss(), {1: 2, 3: 2, 4: 2, 16: 2, 5: 7, 8: 7, 11: 7}),
        # Exercise 25: of 1, 2, 4, 6 with 6 points only Franck (6) is first whatever the missing game had been.
        (
            long_swiss(),
            {3: 1, 6: 2, 1: 3, 4: 3, 2: 5, 7: 6, 8: 6, 16: 6, 5: 9, 10: 9, 14: 9, 15: 9, 11: 13, 9: 14, 12: 14, 13: 16},
        ),
        # Exercise 26.
        (round_robin(), {1: 1, 2: 2, 3: 2, 4: 6, 5: 5, 6: 4}),
    ],
)
def test_exercises_23_to_26_direct_encounter(competition: CompetitionData, ranks: dict[int, int]) -> None:
    found = {row.entry: row.rank for row in rank_standings(competition, ["DE"], EXERCISES).rows}
    assert {entry: found[entry] for entry in ranks} == ranks


@pytest.mark.parametrize(
    ("regulations", "buchholz", "cut"), [("2024-08-01", 57, 50), ("2026-03-01", 55, 50), ("2023-07-01", 57, 50)]
)
def test_the_manuals_player_who_missed_round_4(regulations: str, buchholz: int, cut: int) -> None:
    """7 points of 10; a zero-point bye in round 4 counts 7, since 2026 a draw in each of 10 rounds: 5."""
    competition = build_player_record("110Z1=1=11", [5, 5, 6.5, 4.5, 6, 5, 6.5, 5.5, 6], 10)
    rules = TieBreakRules(regulations=regulations)
    assert [values(competition, code, rules)[1] for code in ("PTS", "BH", "BH/C1", "SB")] == [
        7,
        buchholz,
        cut,
        Fraction("37.25"),
    ]


# Of the opponents of the examples only the sum of their points is taken from the manual.
@pytest.mark.parametrize(
    ("results", "totals", "buchholz"),
    [
        # 1: 7 points of 9, a forfeit win against 5.5 points.
        ("11=11=+01", [5.5] * 9, ("51", "49.5")),
        # 3: 6.5 points of 10, a forfeit loss against more than 6.5 points, then withdrawn from the last round.
        ("111=1=1=-Z", [6.5] * 7 + [6, 7], ("64.5", "63")),
        # 4: 9.5 points of 10, a forfeit win in round 1 against 4.5 points.
        ("+11111111=", [4.5, *[7] * 8, 8.5], ("74", "69")),
    ],
)
def test_the_manuals_examples_1_3_and_4(results: str, totals: list[float], buchholz: tuple[str, str]) -> None:
    competition = build_player_record(results, totals, len(results))
    old, new = (TieBreakRules(regulations=edition) for edition in ("2024-08-01", "2026-03-01"))
    assert values(competition, "BH", old)[1] == Fraction(buchholz[0])
    assert values(competition, "BH", new)[1] == Fraction(buchholz[1])
