"""The Django crust of the ladders' methods: ``manage.py check`` says what one lacks; a word or a number is a field."""

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from ratings.checks import find_method_problems
from ratings.contract.method import Method, MethodExample, ScoreColumn
from ratings.contract.parameters import choice, number, word_or_number
from ratings.contract.system import Preset, Ruling
from ratings.forms import WordOrNumberField, build_parameters_form
from ratings.ladder_methods.fide_performance import FidePerformance
from ratings.ladder_methods.points import PointsMethod, season


def variant(**declared: Any) -> type[Method]:
    """Return the points table with other declarations."""
    return dataclass(frozen=True, kw_only=True)(type("Variant", (PointsMethod,), declared))


def test_a_class_without_declarations_lacks_each_of_them() -> None:
    class Bare(Method):
        """Says nothing."""

    bare: Any = Bare
    assert find_method_problems(bare) == [
        *(f"It does not declare “{name}”." for name in ("key", "title", "summary", "source", "formula", "score_label")),
        "It does not declare “tabulate”.",
        "It is no dataclass; its parameters would not be seen.",
    ]


def test_a_class_without_its_own_decorator_is_found() -> None:
    class Plain(PointsMethod):
        """Would not see its own parameters."""

        extra: float = number(1, label="Extra", low=0, high=2, help="Never seen.")

    assert find_method_problems(Plain) == ["It is no dataclass; its parameters would not be seen."]


SIX = tuple(ScoreColumn(f"c{index}", "C") for index in range(6))


@pytest.mark.parametrize(
    ("declared", "sentences"),
    [
        ({}, []),
        ({"formula": "\n"}, ["Its “formula” is empty."]),
        ({"examples": ()}, ["It has no worked example."]),
        ({"columns": SIX, "tie_breaks": (), "examples": ()}, ["It has no worked example."]),
        (
            {"columns": (*SIX, ScoreColumn("c6", "C")), "tie_breaks": (), "examples": ()},
            ["It has no worked example.", "It has 7 columns; the books have room for 6."],
        ),
        ({"columns": (*PointsMethod.columns, ScoreColumn("luck", ""))}, ["The column “luck” needs a key and a label."]),
        ({"columns": (*PointsMethod.columns, ScoreColumn("", "Luck"))}, ["The column “Luck” needs a key and a label."]),
        ({"columns": (*PointsMethod.columns, ScoreColumn("sum", "Sum"))}, ["Its columns have a key twice: sum."]),
        (
            {"columns": (*PointsMethod.columns, ScoreColumn("score", "Score"))},
            ["No column may have the key “score”: that is the score itself."],
        ),
        ({"tie_breaks": ("wins", "luck")}, ["Its tie-break “luck” is none of its columns."]),
        (
            {"presets": (Preset("odd", "Odd", {"win": "much"}),)},
            ["The preset “odd” does not fit: A win must be a finite number."],
        ),
        (
            {"presets": (Preset("two", "Two", {}), Preset("two", "Two again", {"win": 2}))},
            ["Its presets have a key twice: two."],
        ),
        (
            {"rulings": (Ruling("R99", "Luck", "Text.", "luck"), Ruling("R98", "Win", "Text.", "win"))},
            ["The ruling R99 names the parameter “luck”, which does not exist."],
        ),
        (
            {"examples": (MethodExample("Odd", lambda: season((1, 0)), 1, {"score": 1.0, "wins": 1.0, "luck": 1.0}),)},
            ["The example “Odd” expects “luck”, which is none of its columns."],
        ),
    ],
)
def test_what_a_method_lacks_is_said_in_a_sentence(declared: dict[str, Any], sentences: list[str]) -> None:
    assert find_method_problems(variant(**declared)) == sentences


def test_parameters_without_words_or_with_a_default_out_of_bounds_are_found() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Mute(PointsMethod):
        """Has parameters that nobody could understand."""

        title: ClassVar[str] = "Mute"

        swing: float = number(9, label="Swing", low=0, high=1, help="How far.")
        mood: str = choice("good", {"good": "", "bad": "badly"}, label="Mood", help="How it goes.")
        guest: str = word_or_number("in", {"in": ""}, label="Guests", low=0, high=1, help="Whether.")
        stray: float = word_or_number(5, {"in": "in"}, label="Strays", low=0, high=1, help="Whether.")
        silent: float = number(0, label="Silent", low=0, high=1)

    assert find_method_problems(Mute) == [
        "The default of the parameter “swing” is out of its own bounds.",
        "The parameter “mood” has a choice without a meaning.",
        "The parameter “guest” has a choice without a meaning.",
        "The default of the parameter “stray” is out of its own bounds.",
        "The parameter “silent” needs a label and a help text.",
    ]


def unrated(typed: str) -> tuple[Any, list[str]]:
    """Return what the form makes of what was typed for unrated opponents: the parameter, the errors."""
    kind = build_parameters_form(FidePerformance)
    form = kind({**FidePerformance.defaults(), "unrated": typed})
    return (form.parameters()["unrated"] if form.is_valid() else None), [
        str(error) for error in form.errors.get("unrated", [])
    ]


@pytest.mark.parametrize(
    ("typed", "value"),
    [("drop", "drop"), (" skip_game ", "skip_game"), ("1500", 1500), (" 1499.5 ", 1499.5), ("0", 0), ("4e3", 4000)],
)
def test_a_word_or_a_number_may_be_typed(typed: str, value: str | float) -> None:
    found, errors = unrated(typed)
    assert (found, errors) == (value, [])
    assert isinstance(found, str) == isinstance(value, str)


@pytest.mark.parametrize("typed", ["maybe", "Drop", "-1", "4000.5", "nan", "inf", "1e400", "1,500", "true", "None"])
def test_anything_else_is_refused_with_the_words_and_the_bounds(typed: str) -> None:
    sentence = "Unrated opponents must be one of: drop, skip_game; or a number from 0 to 4000."
    assert unrated(typed) == (None, [sentence])


@pytest.mark.parametrize("typed", ["", "  "])
def test_nothing_is_refused(typed: str) -> None:
    assert unrated(typed) == (None, ["This field is required."])


def test_the_field_says_what_may_be_typed() -> None:
    field = build_parameters_form(FidePerformance)().fields["unrated"]
    assert isinstance(field, WordOrNumberField)
    assert (field.label, field.initial) == ("Unrated opponents", "drop")
    assert field.help_text == (
        "How an opponent without a rating is treated; a number is used as the rating. "
        "drop: there is no value; skip_game: the game does not count; or a number from 0 to 4,000 points. See R14."
    )
