"""Parameters: what an organiser typed is accepted, or refused by a sentence."""

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from ratings.contract.parameters import ParameterError, ParameterSet, choice, document, number, word_or_number
from ratings.describe.values import describe_parameters


@dataclass(frozen=True, kw_only=True)
class Toaster(ParameterSet):
    """Something with one parameter of each kind."""

    title: ClassVar[str] = "Toaster"

    heat: float = number(2.5, label="Heat", low=0, high=10, unit="bars", help="How hot.", source="R1")
    slots: int = number(2, label="Slots", low=1, high=8, help="How many slices.", whole=True)
    bread: str = choice("rye", {"rye": "dark bread", "white": "light bread"}, label="Bread", help="Which bread.")


def problems(given: dict[str, Any]) -> dict[str, str]:
    """Return what is wrong with parameters."""
    with pytest.raises(ParameterError) as caught:
        Toaster.from_json(given)
    return caught.value.problems


def test_what_is_left_out_takes_its_default() -> None:
    assert Toaster.from_json({"slots": 4}).to_json() == {"heat": 2.5, "slots": 4, "bread": "rye"}


def test_the_kernel_reads_floats_in_field_order_and_a_choice_as_its_position() -> None:
    assert Toaster(heat=7, slots=3, bread="white").encoded() == [7.0, 3.0, 1.0]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "2", None, True, [2], 10**400])
def test_what_is_no_finite_number_is_refused(value: Any) -> None:
    assert problems({"heat": value}) == {"heat": "Heat must be a finite number."}


@pytest.mark.parametrize("value", [-0.1, 10.1, 10**300])
def test_a_number_out_of_bounds_is_refused_with_the_bounds(value: float) -> None:
    assert problems({"heat": value}) == {"heat": "Heat must be from 0 to 10."}


def test_a_fraction_is_refused_where_a_whole_number_is_wanted() -> None:
    assert problems({"slots": 2.5}) == {"slots": "Slots must be a whole number."}
    assert Toaster.from_json({"slots": 3.0}).slots == 3


@pytest.mark.parametrize("value", ["cake", "", None, 0, ["rye"]])
def test_an_unknown_word_is_refused_with_the_known_ones(value: Any) -> None:
    assert problems({"bread": value}) == {"bread": "Bread must be one of: rye, white."}


def test_every_bad_parameter_is_named_at_once() -> None:
    found = problems({"heat": 11, "colour": "red"})
    assert found == {
        "colour": "Toaster has no parameter “colour”; the parameters are: heat, slots, bread.",
        "heat": "Heat must be from 0 to 10.",
    }


def test_the_error_reads_as_sentences() -> None:
    with pytest.raises(ParameterError, match=r"^Heat must be from 0 to 10\. Slots must be from 1 to 8\.$"):
        Toaster.from_json({"heat": 11, "slots": 9})


def test_the_json_schema_has_defaults_bounds_units_and_meanings() -> None:
    assert Toaster.json_schema() == {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "heat": {
                "title": "Heat",
                "description": "How hot. See R1.",
                "type": "number",
                "minimum": 0,
                "maximum": 10,
                "unit": "bars",
                "default": 2.5,
            },
            "slots": {
                "title": "Slots",
                "description": "How many slices.",
                "type": "integer",
                "minimum": 1,
                "maximum": 8,
                "default": 2,
            },
            "bread": {
                "title": "Bread",
                "description": "Which bread. rye: dark bread; white: light bread.",
                "type": "string",
                "enum": ["rye", "white"],
                "default": "rye",
            },
        },
    }


@dataclass(frozen=True, kw_only=True)
class Door(ParameterSet):
    """Something with a parameter that is a word or a number."""

    title: ClassVar[str] = "Door"

    open: str | float = word_or_number(
        "ajar",
        {"ajar": "a little", "wide": "all the way"},
        label="Open",
        low=-5,
        high=90,
        unit="degrees",
        help="How far.",
        source="R2",
    )


@pytest.mark.parametrize("value", ["ajar", "wide", 0, -5, 90, 12.5])
def test_a_word_or_a_number_is_accepted_as_it_is(value: str | float) -> None:
    assert Door.from_json({"open": value}).to_json() == {"open": value}


@pytest.mark.parametrize(
    "value", ["shut", "", "12", None, True, False, ["ajar"], {}, -5.1, 90.5, float("nan"), float("inf"), 10**400]
)
def test_what_is_neither_word_nor_number_is_refused_with_both(value: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        Door.from_json({"open": value})
    assert caught.value.problems == {"open": "Open must be one of: ajar, wide; or a number from -5 to 90."}


def test_a_kernel_reads_the_number_and_is_given_no_word() -> None:
    assert Door(open=12).encoded() == [12.0]
    with pytest.raises(AssertionError, match="numbers only"):
        Door().encoded()


def test_the_json_schema_of_a_word_or_a_number_allows_either() -> None:
    assert Door.json_schema()["properties"]["open"] == {
        "title": "Open",
        "description": "How far. ajar: a little; wide: all the way; or a number. See R2.",
        "anyOf": [{"enum": ["ajar", "wide"]}, {"type": "number", "minimum": -5, "maximum": 90}],
        "default": "ajar",
    }


@dataclass(frozen=True, kw_only=True)
class Shelf(ParameterSet):
    """Something with a parameter that is a document."""

    title: ClassVar[str] = "Shelf"

    label: str | None = document(
        "Books",
        label="Label",
        check=lambda value: None if value is None or isinstance(value, str) else "A label is a text.",
        json={"type": ["string", "null"]},
        help="What it holds.",
    )


def test_a_document_is_checked_and_described_and_no_kernel_reads_it() -> None:
    assert Shelf.from_json({"label": "Maps"}).to_json() == {"label": "Maps"}
    with pytest.raises(ParameterError) as caught:
        Shelf.from_json({"label": 3})
    assert caught.value.problems == {"label": "A label is a text."}
    (described,) = describe_parameters(Shelf())
    assert (described.label, described.now, described.meaning) == ("Label", "Books", "")
    with pytest.raises(TypeError, match="a document is no number: 'Books'"):
        Shelf().encoded()
