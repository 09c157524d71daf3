"""The order of first names and surnames."""

import pytest

from ratings.person_names import put_first_name_first, put_surname_first


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("Anna Berg", "Berg, Anna"),
        ("Cleo de la Arce", "Arce, Cleo de la"),
        ("Dan", "Dan"),
        ("Berg, Anna", "Berg, Anna"),
        ("", ""),
        ("John Smith III", "Smith III, John"),
        ("Ana de la Cruz Jr.", "Cruz Jr., Ana de la"),
        ("João Silva FILHO", "Silva FILHO, João"),
        # An initial is no number, and of two words the last one is the surname.
        ("Sergei V", "V, Sergei"),
        ("Antonio Neto", "Neto, Antonio"),
    ],
)
def test_the_surname_comes_first(name: str, listed: str) -> None:
    assert put_surname_first(name) == listed
    assert put_surname_first(listed) == listed


def test_a_name_with_a_comma_is_turned_round() -> None:
    assert put_first_name_first("Berg, Anna") == "Anna Berg"
    assert put_first_name_first("Dan,") == "Dan"
    assert put_first_name_first("Smith III, John") == "John Smith III"


def test_a_comma_before_a_suffix_is_none_between_names() -> None:
    assert put_surname_first("John Smith, Jr.") == "Smith Jr., John"
    assert put_first_name_first("John Smith, Jr.") == "John Smith Jr."


@pytest.mark.parametrize(
    "name", ["Junior Tay", "Iv Nguyen", "Neto Garcia Lopez", "Filho Van Dyke", "John Smith Junior"]
)
def test_a_first_name_that_is_a_suffix_elsewhere_comes_back(name: str) -> None:
    assert put_first_name_first(put_surname_first(name)) == name


def test_what_stands_behind_a_comma_is_a_first_name_unless_it_is_none_anywhere() -> None:
    assert put_first_name_first("Tay, Junior") == "Junior Tay"
    assert put_first_name_first("Garcia Lopez, Neto") == "Neto Garcia Lopez"
    assert put_first_name_first("Nguyen, Iv") == "Iv Nguyen"
