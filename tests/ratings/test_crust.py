"""The Django crust: ``manage.py check`` says what a system lacks, and parameters are a form."""

from dataclasses import dataclass
from typing import Any

import pytest
from django import forms
from django.core.checks import run_checks
from django.core.checks.registry import registry

from ratings import checks
from ratings.checks import check_methods, check_systems, find_system_problems
from ratings.contract.system import (
    ChangePart,
    FormulaFigure,
    GameSheet,
    Preset,
    RatingSystem,
    Ruling,
    StateField,
    WorkedExample,
)
from ratings.forms import build_parameters_form
from ratings.ladder_methods.points import PointsMethod
from ratings.registry import load_systems
from ratings.systems.barbu import Barbu
from ratings.systems.durak import Durak
from ratings.systems.elo import Elo
from ratings.systems.serpentine import Serpentine


@pytest.mark.parametrize(("check", "code"), [(check_systems, "ratings.E001"), (check_methods, "ratings.E002")])
def test_manage_check_finds_nothing_missing(check: object, code: str) -> None:
    assert check in set[object](registry.get_checks())
    assert [message for message in run_checks() if message.id == code] == []


def test_a_class_without_declarations_lacks_each_of_them() -> None:
    class Bare(RatingSystem):
        """Says nothing."""

    bare: Any = Bare
    found = find_system_problems(bare)
    assert "It does not declare “kernel”." in found
    assert "It does not declare “summary”." in found
    assert "It is no dataclass; its parameters would not be seen." in found
    assert "It does not declare “start”." in found
    assert len(found) == 15


def variant(**declared: Any) -> type[RatingSystem]:
    """Return Elo with other declarations."""
    return dataclass(frozen=True, kw_only=True)(type("Variant", (Elo,), declared))


@pytest.mark.parametrize(
    ("check", "kind", "registered", "code"),
    [
        (check_systems, Elo, "load_systems", "ratings.E001"),
        (check_methods, PointsMethod, "load_methods", "ratings.E002"),
    ],
)
def test_what_is_incomplete_is_an_error_of_manage_check(
    monkeypatch: pytest.MonkeyPatch, check: Any, kind: Any, registered: str, code: str
) -> None:
    broken: Any = dataclass(frozen=True, kw_only=True)(type("Broken", (kind,), {"summary": " "}))
    monkeypatch.setattr(checks, registered, lambda: {"broken": broken})
    (error,) = check()
    assert (error.id, error.obj, error.msg) == (code, broken, "Its “summary” is empty.")
    assert error.is_serious()


def with_doubt(self: Any) -> list[float]:
    """Return a rating and a deviation."""
    return [1500.0, 350.0]


def with_bounds(low: float, high: float) -> tuple[StateField, ...]:
    """Return a rating, and a deviation with bounds."""
    return StateField("rating", "R", "Rating"), StateField("rd", "RD", "Deviation", "", low, high)


TWICE = (FormulaFigure("mean_a", "A", "Actual"), FormulaFigure("mean_a", "A", "Actual"))


@pytest.mark.parametrize(
    ("declared", "sentence"),
    [
        ({"source": ""}, "Its “source” is empty."),
        ({"examples": ()}, "It has no worked example."),
        ({"parts": ()}, "It has no parts: nothing could explain a change."),
        ({"parts": (ChangePart("result", "", "Result"),)}, "“result” needs a key, a symbol and a label."),
        ({"parts": (ChangePart("", "r", "Result"),)}, "“Result” needs a key, a symbol and a label."),
        (
            {"presets": (Preset("odd", "Odd", {"k": -1}),)},
            "The preset “odd” does not fit: K must be from 0 to 400.",
        ),
        (
            {"rulings": (Ruling("R9", "Scale", "Text.", "scales"),)},
            "The ruling R9 names the parameter “scales”, which does not exist.",
        ),
        ({"min_players": 1}, "It needs at least two players, and no fewer at most than at least."),
        ({"max_players": 1}, "It needs at least two players, and no fewer at most than at least."),
        ({"state": ()}, "A player's state has 1 to 4 floats; this one has 0."),
        (
            {"state": (StateField("rating", "R", "Rating"), StateField("rd", "RD", "Deviation"))},
            "A player starts with 1 floats, but the state has 2.",
        ),
        (
            {"state": (StateField("rating", "R", "Rating"), StateField("rd", "RD", "Deviation")), "start": with_doubt},
            "The state “rd” needs a lower and an upper bound, the one below the other.",
        ),
        (
            {"state": with_bounds(9.0, 9.0), "start": with_doubt},
            "The state “rd” needs a lower and an upper bound, the one below the other.",
        ),
        (
            {"state": with_bounds(9.0, 349.0), "start": with_doubt},
            "A player starts out of the bounds of the state “rd”.",
        ),
        (
            {"examples": (WorkedExample("Odd", GameSheet((1, 0), (None, None)), ((1500, 350), 1500)),)},
            "The example “Odd” has a state of 2 floats, not 1.",
        ),
        (
            {"display": lambda self, state, games: state[0] - 100.0},
            "Its leaderboard score is not the rating: “score_difference” must say what lies between the two.",
        ),
        ({"lowest_rating": 1501.0}, "A player starts out of the bounds of a rating."),
        ({"figures": TWICE}, "Its figures have a key twice: mean_a."),
        ({"performance": "luck"}, "Its performance “luck” is none of its figures."),
        ({"expectation": "luck"}, "Its expectation “luck” is none of its figures."),
        (
            {"filled": "k × (luck − 1)"},
            "Its “filled”, “told” or “supposed” names “luck”, which is none of its numbers.",
        ),
        ({"filled": "Σ(luck) / 2"}, "Its “filled”, “told” or “supposed” names “luck”, which is none of its numbers."),
        (
            {"told": "{points−luck:1} here."},
            "Its “filled”, “told” or “supposed” names “luck”, which is none of its numbers.",
        ),
        ({"performance": ""}, "A performance needs a label, and a label a performance."),
    ],
)
def test_what_a_system_lacks_is_said_in_a_sentence(declared: dict[str, Any], sentence: str) -> None:
    assert sentence in find_system_problems(variant(**declared))


def test_a_state_with_bounds_and_a_score_with_a_difference_lack_nothing() -> None:
    whole = {"state": with_bounds(9.0, 350.0), "start": with_doubt, "display": lambda self, state, games: state[0]}
    assert find_system_problems(variant(**whole, score_difference="Doubt")) == []


@pytest.mark.parametrize("system", load_systems().values(), ids=lambda system: system.key)
def test_a_form_as_it_comes_gives_the_defaults(system: type[RatingSystem]) -> None:
    kind = build_parameters_form(system)
    shown = kind()
    assert list(shown.fields) == list(system.parameters())
    form = kind({name: field.initial for name, field in shown.fields.items()})
    assert form.is_valid(), form.errors
    assert form.parameters() == system().to_json()
    for field in shown.fields.values():
        assert field.label
        assert field.help_text


def test_a_form_stands_beside_others_by_its_prefix() -> None:
    form = build_parameters_form(Serpentine)(
        {
            "rule-most": "20",
            "rule-full_swing": "0.75",
            "rule-rounding": "truncate",
            "rule-initial": "1300",
            "rule-winner": "lowest",
        },
        prefix="rule",
    )
    assert form.is_valid(), form.errors
    assert form.parameters() == {
        "most": 20,
        "full_swing": 0.75,
        "rounding": "truncate",
        "initial": 1300,
        "winner": "lowest",
    }


def test_fields_have_the_bounds_the_choices_and_the_help_of_the_parameters() -> None:
    fields = build_parameters_form(Serpentine)().fields
    initial, rounding, most = fields["initial"], fields["rounding"], fields["most"]
    assert isinstance(initial, forms.IntegerField)
    assert (initial.min_value, initial.max_value) == (100, 9999)
    assert isinstance(rounding, forms.ChoiceField)
    assert dict(rounding.widget.choices) == {
        "half_away": "to the nearest whole number, half away from zero",
        "truncate": "towards zero",
    }
    assert rounding.help_text == "How a change is rounded to a whole number. See R11."
    assert most.help_text == "The most points a game can change a rating by. From 0 to 100 points."
    total = build_parameters_form(Barbu)().fields["total"]
    assert total.help_text == "The required sum of the scores. From \u22121,000,000 to 1,000,000 points."


@pytest.mark.parametrize(
    ("field", "value"),
    [("k", "-1"), ("k", "401"), ("k", "nan"), ("k", "1e400"), ("k", ""), ("k", "many"), ("initial", "1000.5")],
)
def test_a_form_refuses_what_the_parameter_refuses(field: str, value: str) -> None:
    kind = build_parameters_form(Durak)
    given = {name: shown.initial for name, shown in kind().fields.items()}
    form = kind(given | {field: value})
    assert list(form.errors) == [field]
