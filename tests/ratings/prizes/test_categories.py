"""Who belongs to a category: whoever meets all of its conditions."""

from typing import Any

import pytest

from ratings.standings.categories import Category

ANNA = {"sex": "w", "born": 2012, "club": "Rook  and Roll", "school": "North"}


@pytest.mark.parametrize(
    ("conditions", "rating", "belongs"),
    [
        ({}, None, True),
        ({"sex": "w"}, 1500, True),
        ({"sex": "m"}, 1500, False),
        # Neither case nor blanks tell two clubs apart.
        ({"club": "rook and roll"}, 1500, True),
        ({"club": "Pawn stars"}, 1500, False),
        ({"own": {"school": "north"}}, 1500, True),
        ({"own": {"team": "north"}}, 1500, False),
        ({"born_from": 2012, "born_to": 2012}, 1500, True),
        ({"born_from": 2013}, 1500, False),
        ({"born_to": 2011}, 1500, False),
        ({"rating_from": 1500, "rating_to": 1500}, 1500, True),
        ({"rating_from": 1501}, 1500, False),
        ({"rating_to": 1499}, 1500, False),
        ({"rating_from": 1500}, None, False),
        ({"sex": "w", "born_from": 2013}, 1500, False),
    ],
)
def test_all_conditions_are_met(conditions: dict[str, Any], rating: int | None, belongs: bool) -> None:
    assert Category("key", "Title", **conditions).includes(ANNA, rating) == belongs


def test_nobody_whose_year_of_birth_is_unknown_belongs_to_an_age() -> None:
    assert not Category("key", "Title", born_from=2000).includes({}, 1500)
