"""Remarks of reports: what is written is read again, and the checker takes it back."""

from fractions import Fraction

import pytest

from ratings.contract.competition import (
    CompetitionData,
    EntryData,
    FixtureData,
    PointsTable,
    RoundData,
    Seat,
    build_fixture,
    build_forfeit,
    build_game,
    build_table,
)
from ratings.tournaments.checking import check_text
from ratings.tournaments.history import ReportHistory
from ratings.trf.reading import read_text
from ratings.trf.remarks import TrfRemark, read_remarks, read_result, write_result
from tests.ratings.tournaments.report_cells import build_line

HALF, TABLE = Fraction(1, 2), PointsTable()


def read(*lines: str) -> list[TrfRemark]:
    """Return the remarks of a report of two players."""
    text = "\n".join(("012 Two", build_line(1, "0.0", 1, ""), build_line(2, "0.0", 1, ""), *lines))
    return list(read_remarks(read_text(text)))


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("MPA @ Round 3: 1-4 instead of 1-3", TrfRemark("MPA", 3, (), "1-3", "1-4")),
        ("MPA @ Round 3: without 5 U", TrfRemark("MPA", 3, (), "5 U", "")),
        ("Correction @ Round 1: 1-4 void instead of 1-0 by forfeit, after the pairing of round 3",
         TrfRemark("Correction", 1, (1, 4), "1-0 by forfeit", "void", 3)),
        ("Adjournment @ Round 2: 3-2, ended after the pairing of round 4",
         TrfRemark("Adjournment", 2, (3, 2), paired=4)),
        ("Points decided @ Round 2: 1-4 1--", TrfRemark("Points decided", 2, (1, 4), "", "1--")),
        ("Points added @ Round 2: 4 without -1/2", TrfRemark("Points added", 2, (4,), "-1/2", "")),
        ("Expulsion @ Round 2: 8 without expelled", TrfRemark("Expulsion", 2, (8,), "expelled", "")),
        ("Import @ Round 2", TrfRemark("Import", 2)),
    ],
)  # fmt: skip
def test_a_remark_is_read_as_it_was_written(text: str, remark: TrfRemark) -> None:
    assert remark.write() == text
    (found,) = read(f"### {text}")
    assert (found.write(), found.line) == (text, 4)
    assert [found.kind, found.round, found.entries, found.old, found.new, found.paired] == [
        remark.kind, remark.round, remark.entries, remark.old, remark.new, remark.paired,
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["Rain in round 2", "MPA", "Correction @ Round 1: the clock", "@ Round 1", ""])
def test_remarks_in_other_words_have_no_effect(text: str) -> None:
    game = build_game(1, 2, "win")
    data = CompetitionData((EntryData(1), EntryData(2)), (RoundData(1, (game,)),))
    assert ReportHistory(data, read(f"### {text}")).rewind(2) == data


@pytest.mark.parametrize(
    ("stands", "remarks", "before"),
    [
        (build_game(1, 2, "win"), ["Correction @ Round 1: 1-2 1-0 instead of 0-1, after the pairing of round 2"],
         build_game(1, 2, "loss")),
        # It came before round 2 was paired.
        (build_game(1, 2, "win"), ["Correction @ Round 1: 1-2 1-0 instead of 0-1"], build_game(1, 2, "win")),
        (build_game(1, 2, "win"), ["Adjournment @ Round 1: 1-2, ended after the pairing of round 2"],
         build_game(1, 2, "draw")),
        (build_game(1, 2, "win"), ["Correction @ Round 1: 1-2 1-0 in the report alone instead of 0-0 by forfeit"],
         build_forfeit(1, 2, 1, 2)),
        (FixtureData((Seat(1, 1, points=HALF), Seat(2, 2, points=Fraction(0))), "played"),
         ["Points decided @ Round 1: 1-2 1/2-0, after the pairing of round 2"], build_game(1, 2, "win")),
        # The last change is taken back first.
        (build_game(1, 2, "draw"),
         ["Correction @ Round 1: 1-2 void instead of 1-0, after the pairing of round 2",
          "Correction @ Round 1: 1-2 1/2-1/2 instead of void, after the pairing of round 2"],
         build_game(1, 2, "win")),
    ],
)  # fmt: skip
def test_what_came_after_a_pairing_is_taken_back(stands: FixtureData, remarks: list[str], before: FixtureData) -> None:
    entries = (EntryData(1), EntryData(2))
    history = ReportHistory(
        CompetitionData(entries, (RoundData(1, (stands,)),)), read(*(f"### {one}" for one in remarks))
    )
    assert history.rewind(2).rounds == (RoundData(1, (before,)),)


def test_settings_and_points_that_were_added_are_taken_back() -> None:
    remarks = read(
        "### Points added @ Round 1: 2 -1, after the pairing of round 2",
        "### Rounds @ Round 2: 5 instead of 7",
        "### Points @ Round 2: win=3,draw=1 instead of win=2,draw=1",
    )
    data = CompetitionData(
        (EntryData(1), EntryData(2, added=((1, Fraction(-1)),))), (), PointsTable(win=Fraction(3)), planned_rounds=5
    )
    before = ReportHistory(data, remarks).rewind(2)
    assert [entry.added for entry in before.entries] == [(), ()]
    assert (before.planned_rounds, before.points.win) == (7, Fraction(2))
    assert ReportHistory(data, remarks).rewind(3) == data


def test_a_pairing_by_hand_that_the_round_does_not_have_is_a_difference() -> None:
    text = "\n".join((
        "012 Four", "092 Individual: Swiss-System", "142 1", "152 W", "192 FIDE_DUTCH_2026",
        *(
            build_line(number, points, rank, cells)
            for number, points, rank, cells in (
                (1, "1.0", 1, "   2 w 1"), (2, "0.0", 3, "   1 b 0"),
                (3, "1.0", 1, "   4 w 1"), (4, "0.0", 3, "   3 b 0"),
            )
        ),
        "### MPA @ Round 1: 1-2 instead of 1-3", "### MPA @ Round 1: 3-4 instead of 4-2", "",
    ))  # fmt: skip
    found = check_text(text)
    assert list(found.differences) == [] and [one.code for one in found.findings if one.round] == ["by_hand"]
    wrong = check_text(text.replace("MPA @ Round 1: 3-4", "MPA @ Round 1: 4-3"))
    assert (1, 11, "remark_differs") in {(one.round, one.line, one.code) for one in wrong.differences}


@pytest.mark.parametrize(
    "text",
    [
        # Byes and expulsions are in the rounds themselves.
        "FPB @ Round 1: 1, after the pairing of round 2",
        "Expulsion @ Round 1: 2 expelled, after the pairing of round 2",
        # Results, points and numbers that are none.
        "Correction @ Round 1: 1-2 1-0 instead of 2-0, after the pairing of round 2",
        "Correction @ Round 1: 1-2-3 1-0 instead of 0-1, after the pairing of round 2",
        "Points decided @ Round 1: 1-2 1-0 instead of one-none, after the pairing of round 2",
        "Numbers @ Round 2: 1-9",
        "Points @ Round 2: win=1 instead of win=three",
        "Points @ Round 2: win=1 instead of luck=3",
        # Points that the report does not have.
        "Points added @ Round 1: 2 +1, after the pairing of round 2",
    ],
)
def test_a_remark_of_what_the_report_does_not_have_takes_nothing_back(text: str) -> None:
    data = CompetitionData((EntryData(1), EntryData(2)), (RoundData(1, (build_game(1, 2, "win"),)),))
    assert ReportHistory(data, read(f"### {text}")).rewind(2) == data


def test_points_that_were_decided_in_other_words_are_those_of_the_result() -> None:
    remarks = read(
        "### Points decided @ Round 1: 1-2 one-none",
        "### Correction @ Round 1: 1-2 1-0 instead of 0-1, after the pairing of round 2",
    )
    data = CompetitionData((EntryData(1), EntryData(2)), (RoundData(1, (build_game(1, 2, "win"),)),))
    assert ReportHistory(data, remarks).rewind(2).rounds[0].fixtures == (build_game(1, 2, "loss"),)


def test_a_pairing_of_tables_by_hand_is_neither_compared_nor_taken_back() -> None:
    table = build_table({1: 1, 2: 2, 3: 3})
    one_round = RoundData(1, (table,))
    data = CompetitionData(tuple(map(EntryData, (1, 2, 3))), (one_round,))
    history = ReportHistory(data, read("### MPA @ Round 1: 1-2-3 instead of 3-2-1"))
    assert history.find_made(one_round) == (one_round, [], 4)


@pytest.mark.parametrize(
    ("text", "game"),
    [
        ("void", build_fixture(1, 2)),
        ("1-0", build_game(1, 2, "win")),
        ("0-1", build_game(1, 2, "loss")),
        ("1/2-1/2", build_game(1, 2, "draw")),
        ("1-0 by forfeit", build_forfeit(1, 2, 2)),
        ("0-1 by forfeit", build_forfeit(1, 2, 1)),
        ("0-0 by forfeit", build_forfeit(1, 2, 1, 2)),
        # Both lost over the board; and White has a draw's points, Black a loss's.
        ("0-0", FixtureData((Seat(1, 1, points=Fraction(0)), Seat(2, 1, points=Fraction(0))), "played")),
        ("1/2-0", FixtureData((Seat(1, 1, points=HALF), Seat(2, 1, points=Fraction(0))), "played")),
    ],
)
def test_a_result_is_read_as_it_was_written(text: str, game: FixtureData) -> None:
    assert write_result(game, TABLE) == text
    assert read_result(text, (1, 2), TABLE) == game
