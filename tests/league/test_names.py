"""How names are compared and what a name may be."""

import pytest

from league.names import handle_for, handle_problem, key_of, name_problem


@pytest.mark.parametrize(
    ("one", "other"),
    [("Straße", "STRASSE"), ("  Ada   Lovelace ", "ada lovelace"), ("ﬁnn", "Finn"), ("Ⅷ", "VIII"), ("é", "é")],
)
def test_spellings_of_one_name_share_a_key(one: str, other: str) -> None:
    assert key_of(one) == key_of(other)


def test_different_names_have_different_keys() -> None:
    assert key_of("Åsa") != key_of("Asa")


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
