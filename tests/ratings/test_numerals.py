"""Numbers as people type and paste them; what can be read two ways is refused."""

import pytest
from django import forms
from hypothesis import given
from hypothesis import strategies as st

from ratings.contract.system import RatingSystem
from ratings.forms import NumberField, WholeField, build_parameters_form, read_number, read_whole
from ratings.systems.barbu import Barbu
from ratings.systems.elo import Elo

MINUS, THIN, HARD = "\u2212", "\u202f", "\u00a0"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (f"{MINUS}25", -25.0),
        ("–25", -25.0),
        ("- 25", -25.0),
        ("-25", -25.0),
        ("+25", 25.0),
        ("12,5", 12.5),
        ("12.5", 12.5),
        (f"{MINUS}12,5", -12.5),
        (",5", 0.5),
        ("½", 0.5),
        ("3½", 3.5),
        (f"{MINUS}½", -0.5),
        (".5", 0.5),
        ("12,", 12.0),
        ("12.", 12.0),
        ("0,125", 0.125),
        ("12,3456", 12.3456),
        ("1234,567", 1234.567),
        ("1.234", 1.234),
        ("1,234.5", 1234.5),
        ("1.234,5", 1234.5),
        ("1,234,567", 1234567.0),
        ("1.234.567", 1234567.0),
        (f"{MINUS}12{THIN}345", -12345.0),
        (f"12{HARD}345,5", 12345.5),
        ("1 234", 1234.0),
        ("1'234.5", 1234.5),
        ("1e-3", 0.001),
        ("  7 ", 7.0),
        ("٢٥", 25.0),
    ],
)
def test_a_number_is_read_as_it_is_meant(text: str, number: float) -> None:
    assert read_number(text) == number


@pytest.mark.parametrize("text", ["1,234", "-1,234", "+12,345", f"{MINUS}123,456"])
def test_what_can_be_read_two_ways_is_refused_and_both_are_named(text: str) -> None:
    with pytest.raises(ValueError, match="is ambiguous: write"):
        read_number(text)


def test_the_refusal_names_both_readings() -> None:
    with pytest.raises(ValueError) as caught:
        read_number("\u22121,234")
    assert str(caught.value) == ("“\u22121,234” is ambiguous: write -1234 for thousands, or -1.234 for a fraction.")


@pytest.mark.parametrize(
    "text",
    ["", "-", ",", ".", "x", "1_000", "1,23,4", "12 34", "1 2345", "--5", "1e", "nan", "inf", "1²", "1,2e3", "0x1"],
)
def test_anything_else_is_no_number(text: str) -> None:
    with pytest.raises(ValueError, match="Enter a number"):
        read_number(text)


def test_a_number_beyond_all_bounds_is_none() -> None:
    with pytest.raises(ValueError, match="number"):
        read_number("1e999")


def test_a_whole_number_may_have_groups_but_no_fraction() -> None:
    assert (read_whole("12 345"), read_whole(f"{MINUS}3"), read_whole("3,0")) == (12345, -3, 3)
    with pytest.raises(ValueError, match="Enter a whole number"):
        read_whole("3,5")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_python_writes_is_read_back_to_the_bit(value: float) -> None:
    assert read_number(repr(value)).hex() == value.hex()
    assert read_number(repr(value).replace("-", MINUS, 1) if value < 0 else repr(value)) == value


def test_the_fields_of_forms_read_alike() -> None:
    assert NumberField().clean(" 12,5 ") == 12.5
    assert NumberField().clean(12.5) == 12.5
    assert WholeField().clean("1 200") == 1200
    assert WholeField().clean(7) == 7
    assert NumberField(required=False).clean("  ") is None
    assert WholeField(required=False).clean("") is None
    for field, text, sentence in (
        (NumberField(), "1,234", "is ambiguous: write 1234 for thousands"),
        (WholeField(), "3,5", "whole number"),
        (NumberField(max_value=3), "3,5", "less than or equal to 3"),
        (WholeField(), " ", "required"),
    ):
        with pytest.raises(forms.ValidationError, match=sentence):
            field.clean(text)
    assert 'inputmode="decimal"' in str(forms.BoundField(forms.Form(), NumberField(), "n"))
    assert 'type="number"' not in str(forms.BoundField(forms.Form(), WholeField(), "n"))


@pytest.mark.parametrize("system", [Elo, Barbu])
def test_the_parameters_of_a_form_may_have_a_comma(system: type[RatingSystem]) -> None:
    typed = {name: str(value).replace(".", ",") for name, value in system.defaults().items()}
    form = build_parameters_form(system)(typed)
    assert form.is_valid(), form.errors
    assert form.parameters() == system.defaults()
