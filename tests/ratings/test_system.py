"""The contract itself: what no system of the house happens to need."""

from typing import Any, ClassVar

import pytest

from ratings.contract.system import GameField, GameSheet, RatingSystem, Use
from ratings.systems.elo import Elo


class Whim(Elo):
    """Asks for nothing and knows no ties."""

    title: ClassVar[str] = "Whim"
    score: ClassVar[Use] = "optional"
    place: ClassVar[Use] = "optional"
    ties: ClassVar[bool] = False


def test_where_some_seats_have_no_result_only_those_that_have_one_can_be_tied() -> None:
    assert Whim().check(GameSheet([None, 3, None], [None, None, None])) == []
    (refusal,) = Whim().check(GameSheet([3, None, 3], [None, None, None]))
    assert refusal.sentence == "Seats 1 and 3 are tied at 3, but Whim does not support ties."
    assert (refusal.field, refusal.seat) == ("score", 2)


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (0, None),
        (-1.5, "Weight must be at least 0; it is -1.5."),
        (9.0000001, "Weight must be at most 9; it is 9.0000001."),
        ("7", "Weight must be a finite number."),
    ],
)
def test_a_game_field_has_bounds(value: object, sentence: str | None) -> None:
    assert GameField("weight", "Weight", 0, 9).problem(value) == sentence


def test_a_rating_moves_nobody_else_and_is_shown_as_it_is_unless_a_system_says_otherwise() -> None:
    assert not Whim().moves_all_players()
    assert Whim().display([1234.5], 7) == 1234.5
    assert not Whim().lowest_score_wins()


def test_sentences_say_numbers_in_full() -> None:
    sheet = GameSheet([1_000_000_001, 12_345_678.5, 12_345_678.5], [None, None, None])
    assert "a score of 1000000001 exceeds 1,000,000,000" in Whim().check(sheet)[0].sentence
    (refusal,) = Whim().check(GameSheet([1, 12_345_678.5, 12_345_678.5], [None, None, None]))
    assert "are tied at 12345678.5, but" in refusal.sentence


def test_a_system_that_does_not_say_where_players_start_cannot_be_used() -> None:
    kind: Any = RatingSystem
    with pytest.raises(TypeError, match="start"):
        kind()
