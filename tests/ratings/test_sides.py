"""Several players on one side: what a sheet must hold, and what Elo makes of it."""

import math
from random import Random
from typing import Any

import numpy as np
import pytest

from ratings.contract.declarations import GameSheet
from ratings.describe.describing import describe
from ratings.describe.explaining import explain
from ratings.describe.filling import describe_table
from ratings.run.replay import RatedGame, find_first_seats, rate_game
from ratings.systems.durak import Durak
from ratings.systems.elo import Elo
from ratings.systems.serpentine import Serpentine

NONE = (None,) * 4


def rated(sheet: GameSheet, *ratings: float, rules: Elo | None = None, games: int = 50) -> RatedGame:
    """Rate a game of Elo."""
    return rate_game(rules or Elo(), [[rating] for rating in ratings], [games] * sheet.size, sheet)


def said(sheet: GameSheet, rules: Elo | Durak | Serpentine | None = None) -> list[tuple[str, str, int | None, str]]:
    """Return code, field, seat and sentence of what is refused."""
    return [(one.code, one.field, one.seat, one.sentence) for one in (rules or Elo()).check(sheet)]


def test_partners_gain_what_a_player_of_their_mean_rating_would_gain() -> None:
    sheet = GameSheet((0, 0, 1, 1), NONE, sides=(1, 1, 2, 2))
    one = GameSheet((0, 1), (None, None))
    alone = rated(one, 1600, 1500)
    # The favourites of 100 points expect 1 / (1 + 10^(-1/4)).
    lost = 20 / (1 + 10 ** (-1 / 4))
    assert rated(sheet, 1700, 1500, 1400, 1600).change == pytest.approx([-lost, -lost, lost, lost], abs=1e-12)
    assert alone.change == pytest.approx([-lost, lost], abs=1e-12)


def test_partners_are_not_rated_against_each_other() -> None:
    """Seen once: places 1, 1, 2, 2 moved the better one of two partners down, as if they had drawn."""
    sheet = GameSheet(NONE, (1, 1, 2, 2), sides=(1, 1, 2, 2))
    assert rated(sheet, 1900, 1100, 1500, 1500).change == [10.0, 10.0, -10.0, -10.0]
    assert rated(GameSheet(NONE, (1, 1, 2, 2)), 1900, 1100, 1500, 1500).change[0] < 0.0


def test_it_does_not_matter_where_partners_sit_nor_how_sides_are_numbered() -> None:
    straight = rated(GameSheet((5, 5, 2, 2), NONE, sides=(1, 1, 2, 2)), 1700, 1500, 1400, 1650).change
    mixed = rated(GameSheet((5, 2, 5, 2), NONE, sides=(9, 3, 9, 3)), 1700, 1400, 1500, 1650).change
    assert [mixed[0], mixed[2], mixed[1], mixed[3]] == straight


def test_one_against_three_is_one_side_against_another() -> None:
    change = rated(GameSheet((1, 0, 0, 0), NONE, sides=(1, 2, 2, 2)), 1500, 1400, 1500, 1600).change
    assert change == [10.0, -10.0, -10.0, -10.0]


def test_three_pairs_split_k_over_two_opposing_sides() -> None:
    sheet = GameSheet((None,) * 6, (1, 1, 2, 2, 3, 3), sides=(1, 1, 2, 2, 3, 3))
    assert rated(sheet, *(1500,) * 6).change == [10.0, 10.0, 0.0, 0.0, -10.0, -10.0]


def test_a_weight_multiplies_what_a_game_moves() -> None:
    assert rated(GameSheet((1, 0), (None, None), weight=2.5), 1500, 1500).change == [25.0, -25.0]
    assert rated(GameSheet((1, 0), (None, None), weight=0.0), 1500, 1500).change == [0.0, 0.0]


def test_an_explanation_speaks_of_opponents_only_and_of_the_sides_rating() -> None:
    sheet = GameSheet((0, 0, 1, 1), NONE, sides=(1, 1, 2, 2))
    game = rated(sheet, 1700, 1500, 1400, 1600)
    explained = explain(Elo(), sheet, game)
    assert [pair["seats"] for pair in explained["pairs"]] == [[1, 3], [1, 4], [2, 3], [2, 4]]
    assert [value["value"] for value in explained["seats"][0]["figures"] if value["key"] == "side_rating"] == [1600]
    told = describe_table(Elo(), sheet, game, ["Ada", "Bob", "Cem", "Dee"])[0]
    assert told.sentence.startswith("With a rating of 1600.0, Ada was expected to score 64")
    assert told.line.startswith("20 × (0 − 0.64")


def test_a_system_without_sides_refuses_them_by_name() -> None:
    sheet = GameSheet(NONE, (1, 1, 3, 3), sides=(1, 1, 2, 2))
    ((code, field, seat, sentence),) = said(sheet, Durak())
    assert (code, field, seat) == ("sides", "side", None)
    assert sentence.startswith("Durak")
    assert "does not support teams" in sentence


@pytest.mark.parametrize(
    ("sides", "told"),
    [
        ((1, 1, None, 2), ("missing", "side", 2, "Seat 3 has no team; give one to every seat or to none.")),
        ((1, 1, 0, 0), ("out_of_bounds", "side", 2, "Seat 3: the team must be a whole number from 1 to 100.")),
        ((1, 1, 2, 101), ("out_of_bounds", "side", 3, "Seat 4: the team must be a whole number from 1 to 100.")),
        ((1, 1, 2, True), ("out_of_bounds", "side", 3, "Seat 4: the team must be a whole number from 1 to 100.")),
        ((7, 7, 7, 7), ("sides", "side", None, "All players are in one team; a game needs at least two.")),
    ],
)
def test_what_is_no_side_is_refused_with_the_seat(
    sides: tuple[int | None, ...], told: tuple[str, str, int | None, str]
) -> None:
    assert told in said(GameSheet((1, 1, 0, 0), NONE, sides=sides))


def test_partners_with_different_results_are_refused_with_their_seats() -> None:
    sentence = "Seats 1 and 3 are in one team and must have the same score."
    assert said(GameSheet((3, 1, 2, 1), NONE, sides=(1, 2, 1, 2))) == [("contradiction", "score", 2, sentence)]
    sentence = "Seats 2 and 4 are in one team and must have the same place."
    assert said(GameSheet(NONE, (1, 2, 1, 3), sides=(1, 2, 1, 2))) == [("contradiction", "place", 3, sentence)]


def test_partners_may_share_a_score_where_the_system_knows_no_ties(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Elo, "ties", False)
    assert said(GameSheet((1, 1, 0, 0), NONE, sides=(1, 1, 2, 2))) == []
    (told,) = said(GameSheet((1, 1, 1, 1), NONE, sides=(1, 1, 2, 2)))
    assert (told[0], told[2]) == ("tie", 2)


def test_the_zero_sum_is_promised_where_sides_are_of_one_size() -> None:
    (law,) = Elo.laws
    even, uneven = GameSheet((1, 1, 0, 0), NONE, sides=(1, 1, 2, 2)), GameSheet((1, 0, 0, 0), NONE, sides=(1, 2, 2, 2))
    assert law.binds(even)
    assert law.binds(GameSheet((1, 0), (None, None)))
    assert not law.binds(uneven)
    assert not law.holds(Elo(), rated(uneven, *(1500,) * 4).change, [])


def test_first_seats_of_many_games_are_those_of_each_sheet() -> None:
    random = Random(1)
    sheets = []
    for _ in range(300):
        size = random.randint(2, 9)
        sides = [random.randint(1, 100) if random.random() < 0.5 else 1 for _ in range(size)]
        sheets.append(GameSheet((None,) * size, (None,) * size, sides=random.choice([(), sides])))
    offsets = np.cumsum([0, *(sheet.size for sheet in sheets)])
    numbers: list[Any] = []
    for sheet in sheets:
        numbers += sheet.sides or [math.nan] * sheet.size
    # By the first of the same number, counted from the game's own first row.
    wanted = [
        sheet.sides.index(side) if sheet.sides else seat
        for sheet in sheets
        for seat, side in enumerate(sheet.sides or [None] * sheet.size)
    ]
    assert find_first_seats(offsets, np.array(numbers, dtype=np.float64)).tolist() == wanted
    assert find_first_seats(offsets, None).tolist() == [seat for sheet in sheets for seat in range(sheet.size)]
    some = slice(offsets[100], offsets[200])
    assert find_first_seats(offsets[100:201], np.array(numbers[some], dtype=np.float64)).tolist() == wanted[some]


def test_a_game_without_sides_tells_nothing_of_them() -> None:
    sheet = GameSheet((0, 1), (None, None))
    keys = [value["key"] for value in explain(Elo(), sheet, rated(sheet, 1600, 1500))["seats"][0]["figures"]]
    assert keys == ["k", "mean_a", "mean_e"]


def test_the_page_of_a_system_says_who_was_on_which_side_of_an_example() -> None:
    example = next(one for one in describe(Elo)["examples"] if one["title"] == "Two against two")
    assert [line["name"] for line in example["inputs"]] == [
        "Seat 1, team 1", "Seat 2, team 1", "Seat 3, team 2", "Seat 4, team 2",
    ]  # fmt: skip
