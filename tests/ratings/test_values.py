"""Parameters in words, beside those of the rule before."""

from ratings.describe.values import describe_parameters
from ratings.registry import get_method, get_system


def test_every_parameter_is_told_with_its_unit_and_what_it_does() -> None:
    values = describe_parameters(get_system("elo").from_json({"k": 24}))
    assert [value.before for value in values] == [""] * len(values)
    (k,) = [value for value in values if value.now.startswith("24")]
    assert k.help


def test_what_is_otherwise_than_before_stands_beside_it() -> None:
    system = get_system("barbu")
    before = system.from_json({"strength": "running_mean_j", "zero_sum": "none"})
    changed = {
        value.label: value for value in describe_parameters(system.from_json({}), before.to_json()) if value.before
    }
    assert len(changed) == 2
    for value in changed.values():
        assert value.now != value.before
        assert "_" not in value.now + value.before  # options are told in words


def test_a_parameter_that_is_word_or_number_is_told_as_it_stands() -> None:
    method = get_method("fide_performance")
    (word,) = [
        value for value in describe_parameters(method.from_json({"unrated": "skip_game"})) if value.now == "skip_game"
    ]
    assert word.meaning
    points = describe_parameters(method.from_json({"unrated": 1400}))
    assert [value.now for value in points if value.label == word.label] == ["1400 points"]


def test_names_that_a_system_never_had_are_left_aside() -> None:
    values = describe_parameters(get_system("serpentine").from_json({}))
    assert all(value.now for value in values)
    assert describe_parameters(get_system("serpentine").from_json({}), {"no_such": 1}) == values
