"""How names are compared and what a name may be."""

import pytest

from league.core.text.names import (
    build_name_key,
    build_surname_key,
    handle_for,
    handle_problem,
    isolate_direction,
    make_slug,
    name_problem,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Straße", "STRASSE"), ("  Ada   Lovelace ", "ada lovelace"), ("ﬁnn", "Finn"), ("Ⅷ", "VIII"), ("é", "é")],
)
def test_spellings_of_one_name_share_a_key(one: str, other: str) -> None:
    assert build_name_key(one) == build_name_key(other)


def test_different_names_have_different_keys() -> None:
    assert build_name_key("Åsa") != build_name_key("Asa")


def test_a_list_of_people_is_in_the_order_of_surnames() -> None:
    names = ["Anna Zobel", "Żak, Ben", "Cleo de la Arce", "Dan", "Ben Zobel"]
    assert sorted(names, key=build_surname_key) == ["Cleo de la Arce", "Dan", "Żak, Ben", "Anna Zobel", "Ben Zobel"]


@pytest.mark.parametrize("text", ["", "   ", "x" * 121, "a\0b", "a\u202eb", "zero\u200bwidth"])
def test_a_name_that_cannot_be_one_is_refused_with_a_sentence(text: str) -> None:
    sentence = name_problem(text)
    assert sentence is not None and sentence.endswith(".")


def test_names_of_all_scripts_are_fine() -> None:
    assert [name_problem(name) for name in ("Ана Марија", "王芳", "Curaçao", "O’Brien-Łuczak")] == [None] * 4


@pytest.mark.parametrize("text", ["", "-x", "a b", "é", "x" * 65, "a\n"])
def test_an_unusable_handle_is_refused(text: str) -> None:
    assert handle_problem(text) is not None


@pytest.mark.parametrize(
    ("name", "handle"),
    [
        ("Curaçao", "curacao"),
        ("Ivory Coast", "ivory-coast"),
        ("Łukasz Ørsted", "lukasz-orsted"),
        ("  --R3226-- ", "r3226"),
        ("王芳", ""),
    ],
)
def test_a_handle_is_made_of_a_name(name: str, handle: str) -> None:
    assert handle_for(name) == handle


def test_names_that_run_from_right_to_left_are_set_apart_in_a_line_and_no_others() -> None:
    """FSI and PDI of Unicode's bidirectional algorithm (UAX #9, 2.4) around Hebrew and Arabic letters."""
    plain = ["Anna", "Ана Марија", "王芳", "Curaçao", "O’Brien-Łuczak 2"]
    assert [isolate_direction(name) for name in plain] == plain
    turning = ["\u05d3\u05d5\u05d3 \u05db\u05d4\u05df", "\u0645\u062d\u0645\u062f", "Dan \u05d3", "an \u202eoverride"]
    assert [isolate_direction(name) for name in turning] == [f"\u2068{name}\u2069" for name in turning]


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Liga 26/27", "liga-26-27"),
        ("Spring & Autumn, 2026", "spring-autumn-2026"),
        ("O'Neil's Cup", "oneils-cup"),
        ("王", ""),
    ],
)
def test_a_title_becomes_an_address_whose_parts_stay_apart(title: str, slug: str) -> None:
    assert make_slug(title) == slug
