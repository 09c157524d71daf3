"""The checker: files with one planted fault each, which is found with its round and line."""

from collections.abc import Callable

import pytest

from ratings.tournaments.checking import check_text
from ratings.tournaments.drawing import draw_tournament
from ratings.tournaments.findings import TournamentFinding
from ratings.tournaments.settings import DrawSettings
from tests.ratings.tournaments.report_cells import (
    ReportCell,
    build_line,
    list_player_lines,
    read_cells,
    write_cell,
    write_field,
)

ROUNDS = 4
#: Seeds of the base files; each fault is planted into each.
SEEDS = range(3)


def draw_base(seed: int) -> str:
    """Return the file of an odd number of players without requested byes; round 1 has no forfeits."""
    settings = DrawSettings(
        players=11, rounds=ROUNDS, half_point_byes=0, zero_point_byes=0, full_point_byes=0, forfeits=0,
        unusual_results=0, unrated_games=0, unrated_players=0, tie_breaks=("BH/C1", "BH", "SB"),
    )  # fmt: skip
    return draw_tournament(settings, seed).write().decode().replace("\r\n", "\n")


def list_differences(text: str) -> list[TournamentFinding]:
    """Return what differs."""
    return list(check_text(text).differences)


def get_line(text: str, player: int) -> int:
    """Return the number of a player's line, from 1."""
    return list_player_lines(text)[player] + 1


def list_games(text: str, number: int) -> list[tuple[int, int]]:
    """Return (white, black) of a round's games by White's number."""
    cells = read_cells(text)
    return [(player, row[number - 1].opponent) for player, row in cells.items() if row[number - 1].colour == "w"]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_base_is_clean(seed: int) -> None:
    assert list_differences(draw_base(seed)) == []


@pytest.mark.parametrize("number", [1, ROUNDS])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_pairing_that_was_exchanged(seed: int, number: int) -> None:
    text = draw_base(seed)
    (white, black), (other_white, other_black) = list_games(text, number)[:2]
    cells = read_cells(text)
    for player, opponent, source in (
        (white, other_black, white), (other_black, white, other_black),
        (other_white, black, other_white), (black, other_white, black),
    ):  # fmt: skip
        # The results go with the colours, so that all cells agree.
        result = {"w": "1", "b": "0"}[cells[source][number - 1].colour]
        text = write_cell(text, player, number, cells[source][number - 1]._replace(opponent=opponent, result=result))
    found = [one for one in list_differences(text) if one.code == "pairing_differs"]
    assert {(one.round, one.line) for one in found if one.round == number} == {
        (number, get_line(text, white)),
        (number, get_line(text, other_white)),
    }
    assert min(one.round for one in found) == number


@pytest.mark.parametrize("seed", SEEDS)
def test_colours_that_were_exchanged(seed: int) -> None:
    text = draw_base(seed)
    white, black = list_games(text, 2)[1]
    cells = read_cells(text)
    for player, colour in ((white, "b"), (black, "w")):
        text = write_cell(text, player, 2, cells[player][1]._replace(colour=colour))
    first = min(one for one in list_differences(text) if one.round)
    assert (first.round, first.line, first.code) == (2, get_line(text, black), "colours_differ")
    assert first.sentence == f"The colours of {black}–{white} are exchanged. By the rules: {white}–{black}."


@pytest.mark.parametrize("seed", SEEDS)
def test_a_bye_of_the_wrong_one(seed: int) -> None:
    text = draw_base(seed)
    cells = read_cells(text)
    (right,) = [player for player, row in cells.items() if row[0].result == "U"]
    white, black = list_games(text, 1)[0]
    text = write_cell(text, white, 1, ReportCell(0, "", "U"))
    text = write_cell(text, right, 1, cells[white][0])
    text = write_cell(text, black, 1, cells[black][0]._replace(opponent=right))
    found = [one for one in list_differences(text) if one.round == 1]
    assert (1, get_line(text, white), "pairing_differs") in {(one.round, one.line, one.code) for one in found}
    assert any(one.sentence.startswith(f"{white} has the bye does not follow.") for one in found)


@pytest.mark.parametrize("seed", SEEDS)
def test_two_ranks_that_were_exchanged(seed: int) -> None:
    text = draw_base(seed)
    lines = text.splitlines()
    by_rank = {int(lines[index][85:89]): player for player, index in list_player_lines(text).items()}
    first, last = by_rank[1], by_rank[max(by_rank)]
    text = write_field(write_field(text, first, 86, f"{max(by_rank):4}"), last, 86, f"{1:4}")
    found = list_differences(text)
    assert {(one.line, one.code) for one in found if one.code == "rank_differs"} == {
        (get_line(text, first), "rank_differs"),
        (get_line(text, last), "rank_differs"),
    }


def test_ranks_against_the_tie_break() -> None:
    # Two rounds of four. 1 has 2; 2 and 3 have 1: 2 lost to 1 (BH 2), 3 won against 4, who has 0 (BH 2 of 1).
    text = "\n".join((
        "012 Four", "092 Individual: Swiss-System", "142 2", "152 W", "192 FIDE_DUTCH_2026", "202 {}",
        *(
            build_line(number, points, rank, cells)
            for number, points, rank, cells in (
                (1, "2.0", 1, "   3 w 1     2 b 1"),
                (2, "1.0", 2, "   4 b 1     1 w 0"),
                (3, "1.0", 3, "   1 b 0     4 w 1"),
                (4, "0.0", 4, "   2 w 0     3 b 0"),
            )
        ),
    ))  # fmt: skip
    # Each of 2 and 3 met 1 and 4: Buchholz is 2 for both, so any order of them stands.
    assert list_differences(text.format("BH")) == []
    # By numbers of Black games (BPG), 2 and 3 have one each; by their own numbers (TPN), 2 is before 3.
    assert list_differences(text.format("BPG,TPN")) == []
    # Reversed, 3 is before 2.
    found = list_differences(text.format("BPG,TPN/R"))
    assert [(one.line, one.code) for one in found] == [(8, "rank_differs"), (9, "rank_differs")]
    assert found[0].sentence == "Player 2 has rank 2; the results give 3 (PTS 1.0, BPG 1.0, TPN/R 2.0)."


@pytest.mark.parametrize(
    ("plant", "player", "code", "readable"),
    [
        pytest.param(lambda text: write_field(text, 3, 81, " 9.5"), 3, "points_differ", True, id="points"),
        pytest.param(
            lambda text: text + text.splitlines()[get_line(text, 5) - 1] + "\n", 0, "start_number_twice", False,
            id="double line",
        ),
        pytest.param(
            lambda text: write_cell(text, 4, 2, read_cells(text)[4][1]._replace(opponent=77)), 4, "unknown_opponent",
            False, id="unknown opponent",
        ),
        pytest.param(lambda text: write_field(text, 2, 70, "31.02.2020"), 0, "", True, id="birth"),
    ],
)  # fmt: skip
def test_a_line_with_a_fault(plant: Callable[[str], str], player: int, code: str, readable: bool) -> None:
    text = plant(draw_base(1))
    found = check_text(text)
    assert found.readable == readable
    if code:
        line = get_line(text, player) if player else len(text.splitlines())
        assert (line, code) in {(one.line, one.code) for one in found.differences}


@pytest.mark.parametrize("seed", SEEDS)
def test_results_that_do_not_agree(seed: int) -> None:
    text = draw_base(seed)
    white, black = list_games(text, 3)[0]
    for player in (white, black):
        text = write_cell(text, player, 3, read_cells(text)[player][2]._replace(result="1"))
    found = check_text(text)
    assert not found.readable
    assert {(one.line, one.code) for one in found.findings} >= {(get_line(text, white), "both_win")}
    assert any(one.sentence.endswith(f"Round 3: players {white} and {black} both win.") for one in found.findings)


def test_a_date_that_is_none_and_a_tie_break_that_nobody_knows() -> None:
    text = draw_base(1)
    lines = text.splitlines()
    (first_day,) = [at for at, line in enumerate(lines, 1) if line.startswith("042")]
    found = check_text(text.replace(lines[first_day - 1], "042 2026/13/45"))
    assert not found.readable and [(one.line, one.code) for one in found.findings] == [(first_day, "day")]
    (codes,) = [at for at, line in enumerate(lines, 1) if line.startswith("202")]
    differences = list_differences(text.replace("202 BH/C1,BH,SB", "202 XYZ"))
    assert [(one.line, one.code) for one in differences] == [(codes, "unknown_tie_break")]


def test_a_round_robin_is_compared_with_its_table_and_a_knockout_with_nothing() -> None:
    # The Berger table of four: 1–4, 2–3 | 4–3, 1–2 | 2–4, 3–1.
    text = "\n".join((
        "012 Four", "192 FIDE_ROUNDROBIN", "142 3",
        *(
            build_line(number, "1.5", 1, cells)
            for number, cells in (
                (1, "   4 w =     2 w =     3 b ="),
                (2, "   3 w =     1 b =     4 w ="),
                (3, "   2 b =     4 b =     1 w ="),
                (4, "   1 b =     3 w =     2 b ="),
            )
        ),
    ))  # fmt: skip
    assert list_differences(text) == [] and check_text(text).rounds == 3
    swapped = text.replace("   4 w =     2 w =", "   4 b =     2 w =").replace(
        "   1 b =     3 w =", "   1 w =     3 w ="
    )
    assert [(one.round, one.code) for one in list_differences(swapped)] == [(1, "colours_differ")]
    knockout = check_text(text.replace("FIDE_ROUNDROBIN", "CUSTOM_KNOCKOUT"))
    assert "not_paired" in {one.code for one in knockout.findings} and knockout.rounds == 0


def test_a_round_that_the_rules_cannot_pair() -> None:
    # All four have met everybody after three rounds; the file pairs a fourth.
    text = "\n".join((
        "012 Four", "192 FIDE_DUTCH_2026", "142 4", "152 W",
        *(
            build_line(number, "2.0", 1, cells)
            for number, cells in (
                (1, "   3 w =     2 b =     4 w =     3 b ="),
                (2, "   4 b =     1 w =     3 b =     4 w ="),
                (3, "   1 b =     4 b =     2 w =     1 w ="),
                (4, "   2 w =     3 w =     1 b =     2 b ="),
            )
        ),
    ))  # fmt: skip
    found = list_differences(text)
    assert (4, "no_pairing") in {(one.round, one.code) for one in found}


def test_notes_are_no_differences_and_the_report_is_in_sentences() -> None:
    text = write_field(draw_base(2), 11, 49, "    ")
    text = text.replace("072 11", "072 10")
    found = check_text(text)
    assert [one.code for one in found.findings if not one.differs] == ["rating_missing"]
    lines = list(found.list_lines())
    assert lines[0] == f"Note. Line {get_line(text, 11)}: The player has no rating."
    assert lines[-1] == f"Checked: 4 rounds, 11 places. Differences: {len(found.differences)}."
    assert list(check_text("").list_lines())[-1] == "The file cannot be checked before these lines are corrected."


def test_an_adjourned_game_is_a_draw_for_the_rounds_after_it() -> None:
    text, (white, black) = next(
        (text, game)
        for text in map(draw_base, range(20))
        for game in list_games(text, 1)
        if read_cells(text)[game[0]][0].result == "="
    )
    cells = read_cells(text)
    for player in (white, black):
        text = write_cell(text, player, 1, cells[player][0]._replace(result="?"))
    assert [one for one in list_differences(text) if one.round] == []


def test_a_round_without_games_is_not_paired_again_and_players_without_ranks_are_not_compared() -> None:
    text = "\n".join((
        "012 Two", "192 FIDE_DUTCH_2026", "142 2", "152 W",
        build_line(1, "1.5", 1, "0000 - H     2 w 1"),
        build_line(2, "0.5", 1, "0000 - H     1 b 0"),
    ))  # fmt: skip
    text = write_field(write_field(text, 1, 86, "    "), 2, 86, "    ")
    found = check_text(text)
    assert list(found.differences) == []
    assert found.places == 0
