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
    ],
)
def test_the_surname_comes_first(name: str, listed: str) -> None:
    assert put_surname_first(name) == listed
    assert put_surname_first(listed) == listed


def test_a_name_with_a_comma_is_turned_round() -> None:
    assert put_first_name_first("Berg, Anna") == "Anna Berg"
    assert put_first_name_first("Dan,") == "Dan"
