"""Why a rating changed: inputs, the source's symbols, parts that sum to the change, and a sentence."""

import json
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest

from ratings.contract.system import GameSheet, RatingSystem, State, complete_state
from ratings.describe.explaining import Explanation, explain, format_change_sentence, format_signed
from ratings.registry import get_system
from ratings.run.replay import rate_game
from ratings.systems.durak import Durak
from ratings.systems.elo import Elo
from ratings.systems.serpentine import Serpentine
from tests.helpers.dropping import every_system_there_is
from tests.helpers.generators import draw_games, draw_rules, draw_sheet, draw_states
from tests.helpers.tiers import examples


def explained(rules: RatingSystem, sheet: GameSheet, before: Sequence[State], games: Sequence[int] = ()) -> Explanation:
    """Rate a game and explain it."""
    states = [complete_state(rules, given) for given in before]
    rated = rate_game(rules, states, list(games) or [0] * sheet.size, sheet, started=sheet.size)
    return explain(rules, sheet, rated)


def durak() -> Explanation:
    """Explain the Durak's printed example."""
    return explained(Durak(), GameSheet([None] * 4, [1, 2, 3, 4]), (1000, 1150, 900, 1200), (0, 3, 7, 9))


def numbers(values: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return key -> value."""
    return {value["key"]: value["value"] for value in values}


def test_a_seat_shows_what_went_in_and_what_came_out() -> None:
    seat = durak()["seats"][3]
    assert (seat["seat"], seat["score"], seat["place"], seat["games"]) == (4, None, 4, 10)
    assert (seat["before"], seat["change"], seat["after"]) == ({"rating": 1200}, -27, {"rating": 1173})
    assert seat["performance"] == 0


def test_the_intermediates_stand_under_the_symbols_of_the_source() -> None:
    seat = durak()["seats"][0]
    assert [figure["symbol"] for figure in seat["figures"]][:4] == ["w", "mean A", "mean E", "raw"]
    assert numbers(seat["figures"])["raw"] == pytest.approx(17.809643, abs=5e-7)
    assert numbers(seat["parts"])["inflation"] == 2


def test_pairs_come_once_each_with_the_seats_that_they_compare() -> None:
    pairs = durak()["pairs"]
    assert [pair["seats"] for pair in pairs] == [[1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]]
    assert numbers(pairs[0]["figures"])["e"] == pytest.approx(1 / (1 + 10 ** (150 / 400)), abs=1e-15)
    assert [numbers(pair["figures"])["a"] for pair in pairs[2:5:2]] == [1, 1]


def test_a_system_without_pairs_shows_none() -> None:
    assert explained(Serpentine(), GameSheet([1, 2], [None, None]), (1200, 1200))["pairs"] == []


def test_the_sentence_tells_the_parts_that_moved_the_rating() -> None:
    words = [seat["words"] for seat in durak()["seats"]]
    assert words == [
        "+18: +2.00 inflation, +4.84 order of getting out, +6.67 Durak result, +4.31 from the difference of ratings, "
        "+0.19 rounding.",
        "+3: +2.00 inflation, +6.67 Durak result, -5.87 from the difference of ratings, +0.20 rounding.",
        "+14: +2.00 inflation, -4.84 order of getting out, +6.67 Durak result, +10.63 from the difference of ratings, "
        "-0.46 rounding.",
        "-27: +2.00 inflation, -20.00 Durak result, -9.07 from the difference of ratings, +0.07 rounding.",
    ]


def test_the_sentence_shows_the_decimals_of_the_system() -> None:
    seats = explained(Elo(), GameSheet([1, 0], [None, None]), (1600, 1500))["seats"]
    assert seats[0]["words"] == "+7.2: +10.00 result, -2.80 from the difference of ratings."
    assert seats[1]["words"] == "-7.2: -10.00 result, +2.80 from the difference of ratings."


def test_a_change_of_nothing_is_said_without_a_sign() -> None:
    assert format_change_sentence(Elo(), 0.0, [0.001, -0.001]) == "0.0: this rating has not changed."
    assert [format_signed(number, 1) for number in (-0.04, 0.04, 0.05, -1.25)] == ["0.0", "0.0", "+0.1", "-1.3"]


def test_barbus_shift_of_everybody_is_told() -> None:
    rules = get_system("barbu").from_json({"zero_sum": "league"})
    sheet = GameSheet([100, 0, 0, 0], [None] * 4)
    rated = rate_game(rules, [[0.0]] * 4, [0] * 4, sheet, shift=3.0, started=16)
    # A first game moves a strength to its score; 20 players share the 100 points.
    assert explain(rules, sheet, rated)["shift"] == pytest.approx(-5, abs=1e-12)


@pytest.mark.parametrize("system", every_system_there_is(), ids=lambda system: system.key)
def test_every_system_explains_itself_in_plain_json(system: type[RatingSystem]) -> None:
    random = Random(1)
    for _ in range(examples(100)):
        rules, sheet = draw_rules(system, random), draw_sheet(system, random)
        states = draw_states(rules, sheet.size, random)
        told = explained(rules, sheet, states, draw_games(sheet.size, random))
        assert json.loads(json.dumps(told, allow_nan=False)) == told
        assert "-0.0," not in json.dumps(told)
        for state, seat in zip(states, told["seats"], strict=True):
            assert list(seat["before"].values()) == state
            assert list(seat["before"]) == list(seat["after"]) == [spec.key for spec in system.state]
            assert (seat["rating_before"], seat["rating_after"]) == (state[0], next(iter(seat["after"].values())))
            total = 0.0
            for part in seat["parts"]:
                total += part["value"]
            assert total == seat["change"]
            assert seat["words"].endswith(".")
            assert (seat["performance"] is None) == (not system.performance)
