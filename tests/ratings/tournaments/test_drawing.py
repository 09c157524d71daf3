"""Drawn tournaments: their settings, their results, and FIDE's absolute criteria on each of their rounds."""

from collections import Counter
from fractions import Fraction

import pytest

from ratings.tournaments.checking import check_text
from ratings.tournaments.drawing import compute_expected_score, draw_tournament
from ratings.tournaments.settings import BadSettings, DrawSettings, build_settings, read_settings
from tests.helpers.tiers import long_way
from tests.ratings.tournaments.report_cells import ReportCell, list_player_lines, read_cells

#: The points of a result, apart from those of line 299.
POINTS = {"1": 2, "W": 2, "+": 2, "U": 2, "F": 2, "=": 1, "D": 1, "H": 1}
ALL_PLAY = dict.fromkeys(
    ("half_point_byes", "zero_point_byes", "full_point_byes", "forfeits", "unusual_results", "unrated_games"), 0.0
)


def draw(seed: int, **given: object) -> str:
    """Return the file of a tournament; small ones, unless told otherwise."""
    size = 6 + seed % 9
    settings = {"players": size, "rounds": min(5, size // 2), **given}
    return draw_tournament(build_settings(settings), seed).write().decode().replace("\r\n", "\n")


def hold_criteria(text: str, rounds: int) -> None:
    """Hold each round to the absolute criteria (C.04.3, C1 to C3), by columns of the file alone."""
    cells = read_cells(text)
    for player, row in cells.items():
        played = [cell for cell in row if cell.opponent and cell.result not in "+-"]
        # C1: nobody meets anybody twice.
        assert len({cell.opponent for cell in played}) == len(played)
        # C2: one bye each, and none for who had as much without playing.
        free = [cell.result for cell in row if cell.result in "U+F" and (cell.result != "+" or cell.opponent)]
        if "U" in free:
            assert "U" not in free[: free.index("U")] and "F" not in free[: free.index("U")]
            assert "+" not in free[: free.index("U")]
        # C3: no third game in a row with one colour, nor three more with one; the last round allows it to leaders.
        colours = [cell.colour for cell in row[: rounds - 1] if cell.opponent and cell.result not in "+-"]
        assert abs(colours.count("w") - colours.count("b")) <= 2, player
        assert "www" not in "".join(colours) and "bbb" not in "".join(colours)
    for number in range(rounds):
        kinds = Counter(row[number].result for row in cells.values() if not row[number].opponent)
        seated = sum(row[number].opponent > 0 for row in cells.values()) + kinds["U"]
        assert kinds["U"] == seated % 2
        assert all(
            cells[row[number].opponent][number].opponent == player
            for player, row in cells.items()
            if row[number].opponent
        )


@pytest.mark.parametrize("seed", range(12))
def test_each_round_keeps_the_absolute_criteria_and_the_file_checks_clean(seed: int) -> None:
    text = draw(seed)
    hold_criteria(text, min(5, (6 + seed % 9) // 2))
    found = check_text(text)
    assert found.differences == [] and found.readable
    assert (found.rounds, found.places) == (min(5, (6 + seed % 9) // 2), 6 + seed % 9)


@pytest.mark.slow("2,000 tournaments; twelve are held above.")
@pytest.mark.uncounted("Runs the lines that they run.")
@pytest.mark.parametrize("first", range(1000, 3000, 100))
def test_two_thousand_files_check_clean(first: int) -> None:
    for seed in range(first, first + 100):
        text = draw(seed)
        hold_criteria(text, min(5, (6 + seed % 9) // 2))
        assert check_text(text).differences == [], seed


def test_a_score_group_is_paired_in_itself_where_it_can_be() -> None:
    # Without byes and forfeits, after a first round that nobody drew: four winners and four losers.
    cells = read_cells(draw(5, players=8, rounds=2, draws=0.0, acceleration="none", **ALL_PLAY))
    winners = {player for player, row in cells.items() if row[0].result == "1"}
    assert len(winners) == 4
    assert {row[1].opponent for player, row in cells.items() if player in winners} == winners


def test_the_same_seed_draws_the_same_and_another_another() -> None:
    assert draw(3) == draw(3)
    assert draw_tournament(DrawSettings(players=8), 3).write() != draw_tournament(DrawSettings(players=8), 4).write()


def test_what_is_given_is_kept() -> None:
    text = draw(
        1, players=10, rounds=3, ratings=[*range(1500, 2500, 100)], tie_breaks=["BH", "SB"], first_colour="black"
    )
    lines = text.splitlines()
    assert {"142 3", "152 B", "202 BH,SB", "062 10"} <= set(lines)
    assert [int(lines[index][48:52]) for index in list_player_lines(text).values()] == [*range(2400, 1400, -100)]
    bounded = draw(1, players=12, lowest_rating=1900, highest_rating=2000, unrated_players=0.0).splitlines()
    assert all(1900 <= int(line[48:52]) <= 2000 for line in bounded if line.startswith("001"))


@pytest.mark.parametrize(
    ("name", "signs"),
    [
        ("half_point_byes", "H"),
        ("zero_point_byes", "Z"),
        ("full_point_byes", "F"),
        ("forfeits", "-"),
        ("unrated_games", "W"),
    ],
)
def test_each_share_draws_what_it_names(name: str, signs: str) -> None:
    without, with_many = (draw(2, players=14, rounds=3, **(ALL_PLAY | {name: share})) for share in (0.0, 0.3))
    results = [
        "".join(cell.result for row in read_cells(text).values() for cell in row) for text in (without, with_many)
    ]
    assert signs not in results[0] and signs in results[1]


def test_an_accelerated_first_round_pairs_each_half_in_itself() -> None:
    # C.04.7: of 12 players, the first 2 × 3 are group A, which has a point more: 1–4, 2–5, 3–6 and 7–10, 8–11, 9–12.
    cells = read_cells(draw(2, players=12, rounds=4, acceleration="baku", **ALL_PLAY))
    assert {frozenset((player, row[0].opponent)) for player, row in cells.items()} == {
        frozenset((first, first + 3)) for first in (1, 2, 3, 7, 8, 9)
    }
    plain = read_cells(draw(2, players=12, rounds=4, acceleration="none", **ALL_PLAY))
    assert {plain[1][0].opponent, plain[6][0].opponent} == {7, 12}


def test_unusual_results_are_half_a_point_or_none() -> None:
    cells = read_cells(draw(2, players=14, rounds=3, **(ALL_PLAY | {"unusual_results": 1.0})))
    pairs = {
        cell.result + cells[cell.opponent][number].result
        for row in cells.values()
        for number, cell in enumerate(row)
        if cell.opponent
    }
    assert pairs == {"00", "=0", "0="}


def test_totals_are_the_sums_of_the_results() -> None:
    text = draw(4, players=14, rounds=4)
    lines, places = text.splitlines(), list_player_lines(text)
    for player, row in read_cells(text).items():
        assert Fraction(lines[places[player]][80:84].strip()) == Fraction(sum(map(_count, row)), 2)


def _count(cell: ReportCell) -> int:
    return POINTS.get(cell.result, 0)


@pytest.mark.parametrize(
    ("own", "other", "expected"),
    # FIDE's rating regulations, table 8.1.2, and its cut at 400.
    [
        (2000, 2000, 0.5),
        (2100, 2000, 0.64),
        (2000, 2100, 0.36),
        (2200, 2000, 0.76),
        (2400, 2000, 0.92),
        (2735, 2000, 0.92),
    ],
)
def test_expected_scores_are_those_of_the_table(own: int, other: int, expected: float) -> None:
    assert compute_expected_score(own, other) == pytest.approx(expected)


def test_results_follow_the_expected_scores() -> None:
    # Ten strong players against ten who are 400 weaker: about 92% of the points of round 1 are theirs.
    gained = games = 0
    for seed in range(30):
        text = draw(
            seed, players=20, rounds=1, ratings=[2400] * 10 + [2000] * 10, draws=0.3, acceleration="none", **ALL_PLAY
        )
        scores = [POINTS.get(row[0].result, 0) for player, row in read_cells(text).items() if player <= 10]
        gained, games = gained + sum(scores), games + len(scores)
    # Three standard deviations of 300 games.
    assert abs(gained / 2 / games - 0.92) < 0.047


@long_way
@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"players": 1}, "“players” is from 2 to 2000, not 1."),
        ({"rounds": 31}, "“rounds” is from 1 to 30, not 31."),
        ({"draws": 1.5}, "“draws” is from 0 to 1, not 1.5."),
        ({"players": 3, "ratings": [1, 2]}, "There are 2 ratings for 3 players."),
        ({"lowest_rating": 2000, "highest_rating": 1000}, "The lowest rating is above the highest."),
        ({"tie_breaks": ["XYZ"]}, "There is no tie-break “XYZ”"),
        ({"first_colour": "red"}, "“first_colour” is white or black, not “red”."),
        ({"gamers": 3}, "There is no setting “gamers”"),
        ({"players": "many"}, "“players” cannot be many."),
        ({"players": True}, "“players” cannot be True."),
        ({"ratings": ["high"]}, "“ratings” cannot be"),
        ({"players": 4, "rounds": 9}, "9 rounds of 4 players could not be paired in 50 attempts."),
    ],
)
def test_settings_from_which_nothing_can_be_drawn(given: dict[str, object], sentence: str) -> None:
    with pytest.raises(BadSettings) as caught:
        draw_tournament(build_settings(given), 1)
    assert str(caught.value).startswith(sentence)


def test_a_file_of_settings_is_read() -> None:
    assert read_settings('players = 12\ndraws = 0.25\ntie_breaks = ["BH"]\n# A comment.\n') == DrawSettings(
        players=12, draws=0.25, tie_breaks=("BH",)
    )
    with pytest.raises(BadSettings):
        read_settings("players = ")
