"""A change with its numbers: every line works out to it, and sentences say what they should."""

import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from ratings.contract.system import GameSheet, RatingSystem, WorkedExample, complete_state
from ratings.describe.filling import describe_change, fill_formulas
from ratings.registry import get_system, load_systems
from ratings.run.replay import RatedGame, rate_game

EXAMPLES = [(system, example) for system in load_systems().values() for example in system.examples]


def rated_example(system: type[RatingSystem], example: WorkedExample) -> tuple[RatingSystem, RatedGame]:
    """Rate a worked example."""
    rules = system.from_json(example.parameters)
    before = [complete_state(rules, state) for state in example.before]
    return rules, rate_game(rules, before, list(example.games or [0] * len(before)), example.sheet)


def rate(
    key: str, before: Any, sheet: GameSheet, games: Any = None, **parameters: Any
) -> tuple[RatingSystem, RatedGame]:
    """Rate a game."""
    rules = get_system(key).from_json(parameters)
    return rules, rate_game(rules, [[float(one)] for one in before], list(games or [0] * len(before)), sheet)


def by_hand(line: str) -> Fraction:
    """Work a line out apart from the code that made it, in fractions."""
    exact = re.sub(r"\d+(\.\d+)?", lambda number: f"Fraction('{number[0]}')", line)
    return eval(exact.replace("×", "*").replace("−", "-"), {"Fraction": Fraction})  # type: ignore[no-any-return]  # a sum of numbers


@pytest.mark.parametrize(("system", "example"), EXAMPLES, ids=lambda one: getattr(one, "key", ""))
def test_the_line_of_every_worked_example_works_out_to_its_change(
    system: type[RatingSystem], example: WorkedExample
) -> None:
    rules, rated = rated_example(system, example)
    for seat, change in enumerate(rated.change):
        line = fill_formulas(rules, example.sheet, rated)[seat]
        assert abs(by_hand(line) - Fraction(change)) <= Fraction(1, 10_000), line
        assert re.fullmatch(r"[\d.()+−×/ ]+", line), line
        assert not re.search(r"[+−] ?[+−]", line), line
        assert set(re.findall(r"\{|\}|nan", describe_change(rules, example.sheet, rated, seat, "Anna"))) == set()


def lines(key: str, number: int) -> list[str]:
    """Return the lines of a worked example."""
    system = get_system(key)
    rules, rated = rated_example(system, system.examples[number])
    return fill_formulas(rules, system.examples[number].sheet, rated)


def sentences(key: str, number: int) -> list[str]:
    """Return the sentences of a worked example."""
    system = get_system(key)
    rules, rated = rated_example(system, system.examples[number])
    return [
        describe_change(rules, system.examples[number].sheet, rated, seat, "Anna") for seat in range(len(rated.change))
    ]


def test_each_system_fills_its_own_formula() -> None:
    assert lines("elo", 0) == ["20 × (1 − 0.5)", "20 × (0 − 0.5)"]
    # E = 10/11 and 1/11: its four decimals need more digits than three, and both lines have as many.
    assert lines("elo", 1) == ["33 × (1 − 0.90909)", "33 × (0 − 0.09091)"]
    # The printed example: pairs of −18 − 1.4 − 0.3 and −32 − 2.8 − 0.3 are −27.4 in half, rounded −27.
    assert lines("preferans", 0)[0] == "((−18 − 1.4 − 0.3) + (−32 − 2.8 − 0.3)) / 2 + 0.4"
    # 55 expected of 200, 40 scored: −4.3636 before it is rounded.
    assert lines("serpentine", 0)[0] == "16 × (40 − 55) / (1 × 55) + 0.3636"
    assert lines("durak", 0)[0].startswith("2 + 40 × (0.78")
    # Another one at the table needs five decimals.
    assert lines("barbu", 1)[0] == "(90 + 0 − 0) × 1 − 22.19129"


def test_sentences_say_what_was_expected_and_what_came() -> None:
    assert sentences("elo", 1) == [
        "With a rating of 1900.0, Anna was expected to score 90.9% of the points, and scored 100%: "
        "9.1 percentage points more.",
        "With a rating of 1500.0, Anna was expected to score 9.09% of the points, and scored 0%: "
        "9.09 percentage points less.",
    ]
    assert sentences("serpentine", 0)[0] == (
        "With a rating of 1100 the expected score is 55.0. Anna scored 40, 15.0 less."
    )
    assert sentences("preferans", 0)[0] == ("Half the sum of both pairs gives Anna −27.40, or −27 in whole points.")
    assert sentences("barbu", 0)[0].startswith(
        "With a strength of 0.00, the expected score against these three is 30.0. Anna scored 300, 270.0 more. "
        "This was Anna's game 101, so it weighs"
    )
    assert "Anna scored 400, which counts as 337.1, 337.1 more." in sentences("barbu", 3)[0]
    assert sentences("durak", 0)[0] == (
        "With a rating of 1000 the expected result at this table is 39.2%. Anna reached 78.8%, 39.6 percentage points "
        "more."
    )


def test_a_game_that_has_not_been_played_would_be_the_next_one() -> None:
    supposed = {}
    for key, number in (("barbu", 0), ("barbu", 3), ("serpentine", 0), ("durak", 0), ("elo", 1), ("preferans", 0)):
        system = get_system(key)
        rules, rated = rated_example(system, system.examples[number])
        supposed[key, number] = describe_change(rules, system.examples[number].sheet, rated, 0, "Anna", supposed=True)
    assert supposed["barbu", 0].startswith(
        "With a strength of 0.00, the expected score against these three is 30.0. Anna would score 300, 270.0 more. "
        "This would be Anna's game 101, so it would weigh"
    )
    assert "Anna would score 400, which would count as 337.1, 337.1 more." in supposed["barbu", 3]
    assert supposed["serpentine", 0].endswith("Anna would score 40, 15.0 less.")
    assert supposed["durak", 0].endswith("Anna would reach 78.8%, 39.6 percentage points more.")
    assert supposed["elo", 1] == (
        "With a rating of 1900.0, Anna is expected to score 90.9% of the points, and would score 100%: "
        "9.1 percentage points more."
    )
    # A sentence in the present suits both.
    assert supposed["preferans", 0] == sentences("preferans", 0)[0]


def test_a_table_without_points_or_a_change_of_nothing_has_a_line_too() -> None:
    sheet = GameSheet(scores=(0, 0), places=(None, None))
    rules, rated = rate("serpentine", (1200, 1300), sheet)
    assert fill_formulas(rules, sheet, rated) == ["0", "0"]
    even = GameSheet(scores=(1, 1), places=(None, None))
    rules, rated = rate("elo", (1500, 1500), even)
    assert fill_formulas(rules, even, rated)[0] == "20 × (0.5 − 0.5)"
    assert describe_change(rules, even, rated, 0, "Anna").endswith("and scored 50%: as expected.")


def test_negative_numbers_turn_the_sign_before_them_or_stand_in_brackets() -> None:
    sheet = GameSheet(scores=(-30, 25, 15, -10), places=(None,) * 4)
    rules, rated = rate("barbu", (-5.843, 41.054, 28.801, 17.308), sheet, (240, 246, 197, 201))
    line = fill_formulas(rules, sheet, rated)[0]
    assert line.startswith("(−30 + 29.054 − (−5.843)) × 0.0085")
    assert Decimal(f"{rated.change[0]:.4f}") == Decimal(f"{float(by_hand(line)):.4f}")


def test_a_system_that_declares_neither_has_the_sum_of_its_parts() -> None:
    elo = get_system("elo")

    class Plain(elo):  # type: ignore[misc, valid-type]  # a class of the registry
        filled = ""
        told = ""

    sheet = GameSheet(scores=(1, 0), places=(None, None))
    rated = rate_game(Plain(), [[1500.0], [1500.0]], [0, 0], sheet)
    assert fill_formulas(Plain(), sheet, rated)[0] == "10"
    assert describe_change(Plain(), sheet, rated, 0, "Anna") == ""
    level = GameSheet(scores=(0.5, 0.5), places=(None, None))
    assert fill_formulas(Plain(), level, rate_game(Plain(), [[1500.0], [1500.0]], [0, 0], level))[0] == "0"
    # A line that does not give the change is told with all its digits, not left out.
    rated.change[0] = 11.0
    assert fill_formulas(Plain(), sheet, rated)[0] == "10"
