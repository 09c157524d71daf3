"""Tie-breaks by ratings in an event of more than 30 days, whose entries have several ratings: worked out by hand."""

from fractions import Fraction

import pytest

from ratings.contract.competition import CompetitionData, EntryData, RoundData, build_game
from ratings.contract.result_table import cut_rounds, tabulate_results
from ratings.contract.tie_break import TieBreakRules
from ratings.standings.ranking import rank_standings
from ratings.standings.tie_break_codes import parse_code

#: Entry 2 has 1900 in round 1, 1950 in round 2, and 2100 from round 3 on.
LATER = ((2, 1950), (3, 2100))


def build_event(second: EntryData) -> CompetitionData:
    """Return four entries after three rounds, of which the first wins all games."""
    entries = (EntryData(1, 2000), second, EntryData(3, 1800), EntryData(4, 1700))
    pairs = [((1, 2), (3, 4)), ((1, 3), (2, 4)), ((1, 4), (2, 3))]
    rounds = [
        RoundData(number, tuple(build_game(white, black, "win") for white, black in some))
        for number, some in enumerate(pairs, 1)
    ]
    return CompetitionData(entries, tuple(rounds))


EVENT = build_event(EntryData(2, 1900, later=LATER))


@pytest.mark.parametrize(
    ("code", "entry", "ratings", "value"),
    [
        # 1800 of entry 3, 2000 of entry 1, and entry 2 in round 2.
        ("ARO", 4, "first", 1900), ("ARO", 4, "round", 1917), ("ARO", 4, "last", 1967),
        # Entry 1 met entry 2 in round 1; with all points 800 are added.
        ("TPR", 1, "first", 2600), ("TPR", 1, "round", 2600), ("TPR", 1, "last", 2667),
        ("PTP", 1, "first", 2700), ("PTP", 1, "last", 2900),
        ("RTNG", 2, "first", 1900), ("RTNG", 2, "round", 2100), ("RTNG", 2, "last", 2100),
    ],
)  # fmt: skip
def test_the_ratings_of_the_rules_count(code: str, entry: int, ratings: str, value: int) -> None:
    tally = parse_code(code, TieBreakRules(ratings=ratings)).tally(tabulate_results(EVENT), entry)
    assert tally.value == Fraction(value)


def test_after_an_earlier_round_the_last_ratings_are_those_of_that_round() -> None:
    table = cut_rounds(tabulate_results(EVENT), 2)
    # 1800 and 1950.
    assert parse_code("ARO", TieBreakRules(ratings="last")).tally(table, 4).value == 1875


def test_one_table_answers_each_of_the_rules() -> None:
    table = tabulate_results(EVENT)
    values = {name: parse_code("ARO", TieBreakRules(ratings=name)).tally(table, 4).value for name in ("last", "first")}
    assert values == {"last": 1967, "first": 1900}


def test_who_had_no_rating_at_the_start_has_one_by_the_last() -> None:
    event = build_event(EntryData(2, None, later=((3, 1900),)))
    for ratings, missing in (("first", True), ("round", True), ("last", False)):
        row = next(one for one in rank_standings(event, ["ARO"], TieBreakRules(ratings=ratings)).rows if one.entry == 1)
        assert (row.values["ARO"] is None) == missing
