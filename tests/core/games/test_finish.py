"""Who finished where: what decides, as the source of each system says."""

from typing import Any

import pytest

from league.core.finish import find_deciding_value, list_finishers
from league.models import Result
from ratings.registry import get_system


@pytest.mark.parametrize(
    ("slug", "scores", "places", "wanted"),
    [
        # Scores where every seat has one (R105); places where a system rates by them, or where there is nothing else.
        ("elo", True, True, "score"),
        ("elo", True, False, "score"),
        ("elo", False, True, "place"),
        ("elo", False, False, ""),
        ("durak", True, True, "place"),
        ("durak", False, True, "place"),
        ("durak", True, False, "score"),
        ("durak", False, False, ""),
        (None, True, True, "score"),
        (None, False, True, "place"),
        (None, False, False, ""),
    ],
)
def test_what_decides(slug: str | None, *, scores: bool, places: bool, wanted: str) -> None:
    system = None if slug is None else get_system(slug)()
    assert find_deciding_value(system, scores=scores, places=places) == wanted


@pytest.mark.parametrize(
    ("slug", "parameters", "order"),
    [
        ("elo", {}, [2, 0, 1]),
        ("durak", {}, [0, 1, 2]),
        ("preferans", {"winner": "highest"}, [2, 0, 1]),
        ("preferans", {"winner": "lowest"}, [1, 0, 2]),
    ],
)
def test_who_is_first(slug: str, parameters: dict[str, Any], order: list[int]) -> None:
    places = [1, 2, 3] if slug == "durak" else [None] * 3
    seats = [
        Result(seat=seat, score=score, place=place)
        for seat, (score, place) in enumerate(zip((5.0, -3.0, 9.0), places, strict=True))
    ]
    assert [line.result.seat for line in list_finishers(seats, get_system(slug)(**parameters))] == order
