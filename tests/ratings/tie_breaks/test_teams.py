"""Standings of teams from reports: against FIDE's own checker, the package gacrux, and by hand."""

from fractions import Fraction
from functools import cache
from random import Random

import pytest

from ratings.contract.competition import (
    CompetitionData,
    EntryData,
    FixtureData,
    RoundData,
    Seat,
    TeamRules,
    build_game,
)
from ratings.contract.tie_break import TEAMS_ONLY
from ratings.standings.ranking import rank_standings
from ratings.tie_breaks.teams import NO_DIVISOR
from ratings.tournaments.checking import check_text
from ratings.trf.reading import read_text
from ratings.trf.teams import MATCH_POINTS, TrfTeamCompetition, read_teams
from tests.helpers.team_texts import FILE, ask_checker, draw_team_file, write_player, write_team
from tests.helpers.tiers import examples

#: Codes with a value, and codes that only put the tied in order.
VALUES = (
    *("MPVGP", "EMMSB", "EMGSB", "EGMSB", "EGGSB", "EMMSB/C1", "EGGSB/C1", "SSSC", "SSSC/K3", "BC"),
    *("BH", "BH:GP", "BH:MP/C1", "SB:GP"),
)
ORDERS = ("DE", "EDE", "TBR", "BBE", "EDET", "EDEB", "EDEBT", "EDEBB")
PRIMARY = (("FIDE_TEAM_TYPEA_MP_GP", "MPTS"), ("FIDE_TEAM_TYPEB_GP_MP", "GPTS"), ("BERGER_TEAM_ROUNDROBIN", "MPTS"))


def read(text: str) -> TrfTeamCompetition:
    found = read_teams(read_text(text))
    assert found is not None
    return found


@cache
def draw(seed: int) -> tuple[str, TrfTeamCompetition, str]:
    """Return a drawn file, its competition, and the code of the points that come first."""
    random = Random(seed)
    kind, first = PRIMARY[seed % 3]
    teams, boards = random.choice((4, 5, 6, 8)), random.choice((2, 4, 5))
    rounds = teams - 1 + teams % 2 if seed % 3 == 2 else 3
    text = draw_team_file(random, teams=teams, rounds=rounds, boards=boards, code=kind, tie_breaks=first)
    return text, read(text), first


def test_values_of_drawn_teams_are_those_of_the_checker() -> None:
    for seed in range(examples(40)):
        text, found, first = draw(seed)
        expected = ask_checker(text, [first, *VALUES], round_robin=found.data.predetermined)
        standings = rank_standings(found.data, [first, *VALUES])
        for row in standings.rows:
            assert [*row.values.values()] == expected[row.entry][1], (seed, row.entry)


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("code", ["BC", "EGGSB", *ORDERS])
def test_ranks_of_drawn_teams_are_those_of_the_checker(code: str) -> None:
    for seed in range(examples(12)):
        text, found, first = draw(seed)
        expected = ask_checker(text, [first, code], round_robin=found.data.predetermined)
        ranks = {row.entry: row.rank for row in rank_standings(found.data, [first, code]).rows}
        assert ranks == {team: rank for team, (rank, _) in expected.items()}, seed


def to_float(value: Fraction | None) -> float:
    return float(value or 0)


def test_byes_empty_boards_and_matches_without_play_count_as_their_lines_say() -> None:
    found = read(FILE)
    standings = rank_standings(found.data, found.tie_breaks)
    rows = [(row.rank, row.entry, *map(to_float, row.values.values())) for row in standings.rows if row.points]
    assert rows == [
        # 2–0, then 1½–½ with player 2 alone on board 2: board 1 has 1½ points, board 2 has 2.
        (1, 1, 4.0, 3.5, 1.5 + 2 * 2),
        # The bye: a draw, and 1 board point; for the board count a win on each board.
        (2, 3, 3.0, 3.5, (1 + 1 + 0.5) + 2 * (1 + 1)),
    ]


def test_the_checker_names_points_and_ranks_of_teams_that_do_not_follow() -> None:
    right = check_text(FILE)
    assert (right.places, right.differences) == (3, [])
    wrong = FILE.replace(write_team(1, "4.0", "3.5", 1, 1, 2), write_team(1, "4.0", "4.5", 2, 1, 2))
    wrong = wrong.replace(write_team(3, "3.0", "3.5", 2, 5, 6), write_team(3, "3.0", "3.5", 1, 5, 6))
    assert sorted(found.sentence for found in check_text(wrong).differences) == [
        "Team 1 has 4.5 board points in the file; the results give 3.5.",
        "Team 1 has rank 2; the results give 1 (MPTS 4.0, GPTS 3.5, BC 5.5).",
        "Team 3 has rank 1; the results give 2 (MPTS 3.0, GPTS 3.5, BC 6.5).",
    ]


def test_points_that_an_arbiter_gave_teams_and_forfeited_matches_are_read() -> None:
    given = FILE + "299 W   2.0   2.0    3    3\n299    -1.0  -0.5  999    1\n"
    rows = rank_standings(read(given).data, ["MPTS", "GPTS"]).rows
    # Team 3 won round 3 by decision: 1 + 2 + 2 match points, 1 + 2 + 2 board points. Team 1 loses 1 and ½ at the end.
    points = {row.entry: [to_float(value) for value in row.values.values()] for row in rows}
    assert points == {1: [3.0, 3.0], 3: [5.0, 5.0], 2: [0.0, 0.0]}


def test_boards_out_of_order_and_a_match_forfeited_as_a_whole_are_read() -> None:
    crossed = FILE.replace("   3 w 1", "   4 w 1").replace("   4 b 1", "   3 b =")
    crossed = crossed.replace("   1 b 0", "   2 w =").replace("   2 w 0", "   1 b 0")
    match = read(crossed + "300   1   2   1      4    3\n").data.rounds[0].fixtures[0]
    assert [seat.entry for seat in match.seats] == [1, 2]
    assert match.boards == ((Fraction(1), Fraction(0)), (Fraction(1, 2), Fraction(1, 2)))
    whole = FILE
    for cell in ("   5 w -", "   6 b -", "   3 b +", "   4 w +"):
        whole = whole.replace(cell, "0000 - Z")
    assert whole != FILE
    rows = rank_standings(read(whole + "330 -+   2   2   3\n").data, ["MPTS", "GPTS"]).rows
    assert {row.entry: [to_float(value) for value in row.values.values()] for row in rows}[3] == [3.0, 3.5]


@pytest.mark.parametrize(
    ("line", "is_readable"),
    [
        ("300   1   1   2   11   12", True), ("300   1   1   2   x1   12", False), ("300       1   2   11", False),
        ("320  1.0  2.0   1   2   3", True), ("320  l.0  2.0   1   2   3", False), ("320  1.0  2.0   1   z", False),
        ("330 +-   1   1   2", True), ("330 QQ   1   1   2", False), ("330 +-   1   1", False),
        ("240 H   3    5", True), ("240 P   3    5", False), ("240 H   3", False),
        ("299 +   2.0   2.0   1    3", True), ("299 +   2.0   x.0   1    3", False),
    ],
)  # fmt: skip
def test_a_line_of_teams_that_cannot_be_read_is_a_warning(line: str, is_readable: bool) -> None:
    text = draw_team_file(Random(1), teams=5, rounds=3, boards=4, code="FIDE_TEAM_BAKU", tie_breaks="MPTS")
    text = "".join(one for one in text.splitlines(keepends=True) if not one.startswith("320"))
    found = [one for one in read_text(f"{text}{line}\n").warnings if one.code == "team_unread"]
    assert [one.line for one in found] == ([] if is_readable else [text.count("\n") + 1])


def test_score_and_strength_have_no_value_while_a_match_counts_less_than_a_win_on_all_boards() -> None:
    # Two match points of one round are less than the four points on four boards: no whole divisor (13.4).
    boards = ((Fraction(1), Fraction(0)),) * 4
    match = FixtureData((Seat(1, 1, Fraction(4)), Seat(2, 2, Fraction(0))), "played", boards=boards)
    data = CompetitionData(
        (EntryData(1), EntryData(2)), (RoundData(1, (match,)),), MATCH_POINTS, teams=TeamRules(boards=4)
    )
    first = rank_standings(data, ["SSSC"]).explain(1)["SSSC"]
    assert (first.value, first.reason) == (None, NO_DIVISOR)
    # Four board points, and half of the opponent's none.
    assert rank_standings(data, ["SSSC/K2"]).explain(1)["SSSC/K2"].value == 4


def test_direct_encounter_by_board_points_separates_teams_that_beat_each_other_in_a_circle() -> None:
    # 1–2 2:0, 2–3 1½:½, 3–1 1½:½. Each has two match points; against the others 1 has 2½ board points, 3 has 2.
    text = "\n".join((
        "012 Three", "142 3", "192 BERGER_TEAM_ROUNDROBIN", "352 WB", "362  W 2.0    D 1.0    L 0.0",
        write_player(1, "1.5", "   3 w 1", "0000 - Z", "   5 b ="),
        write_player(2, "1.0", "   4 b 1", "0000 - Z", "   6 w 0"),
        write_player(3, "0.5", "   1 b 0", "   5 w =", "0000 - Z"),
        write_player(4, "1.0", "   2 w 0", "   6 b 1", "0000 - Z"),
        write_player(5, "1.0", "0000 - Z", "   3 b =", "   1 w ="),
        write_player(6, "1.0", "0000 - Z", "   4 w 0", "   2 b 1"),
        write_team(1, "2.0", "2.5", 1, 1, 2), write_team(2, "2.0", "1.5", 3, 3, 4),
        write_team(3, "2.0", "2.0", 2, 5, 6), "",
    ))  # fmt: skip
    data = read(text).data
    assert {row.rank for row in rank_standings(data, ["MPTS", "DE"]).rows} == {1}
    rows = rank_standings(data, ["MPTS", "DE:GP"]).rows
    assert [(row.rank, row.entry, row.values["DE:GP"]) for row in rows] == [
        (1, 1, Fraction(5, 2)), (2, 3, Fraction(2)), (3, 2, Fraction(3, 2)),
    ]  # fmt: skip


def test_players_have_no_values_by_points_of_teams() -> None:
    data = CompetitionData((EntryData(1), EntryData(2)), (RoundData(1, (build_game(1, 2, "win"),)),))
    standings = rank_standings(data, ["BH:GP", "DE:MP"])
    for code in ("BH:GP", "DE:MP"):
        explained = standings.explain(1)[code]
        assert (explained.value, explained.reason) == (None, TEAMS_ONLY)
