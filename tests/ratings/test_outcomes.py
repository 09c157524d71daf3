"""How a game can end."""

import pytest

from ratings.contract.system import GameSheet
from ratings.describe.outcomes import explain_missing_outcomes, is_open, iter_outcomes
from ratings.systems.durak import Durak
from ratings.systems.elo import Elo
from ratings.systems.preferans import Preferans


def open_sheet(size: int) -> GameSheet:
    """Return a sheet without an outcome."""
    return GameSheet([None] * size, [None] * size, {"bula": 30})


def test_two_players_win_draw_or_lose_and_draw_only_where_ties_are_rated() -> None:
    assert [tuple(sheet.places) for sheet in iter_outcomes(Elo(), open_sheet(2))] == [(1, 2), (1, 1), (2, 1)]
    assert [tuple(sheet.places) for sheet in iter_outcomes(Durak(), open_sheet(2))] == [(1, 2), (2, 1)]


@pytest.mark.parametrize(("size", "orders"), [(3, 6), (4, 24)])
def test_more_players_finish_in_every_order_and_keep_their_game_fields(size: int, orders: int) -> None:
    found = list(iter_outcomes(Elo(), open_sheet(size)))
    assert len({tuple(sheet.places) for sheet in found}) == len(found) == orders
    assert list(found[0].places) == list(range(1, size + 1))
    assert all(sorted(sheet.places) == list(range(1, size + 1)) for sheet in found)  # type: ignore[type-var]
    assert {sheet.fields["bula"] for sheet in found} == {30}


def test_what_cannot_be_listed_says_what_to_send() -> None:
    assert explain_missing_outcomes(Elo(), 4) == ""
    assert explain_missing_outcomes(Elo(), 5).endswith("enter a score or a place for every seat.")
    assert explain_missing_outcomes(Durak(), 5).endswith("enter a place for every seat.")
    assert explain_missing_outcomes(Preferans(), 3).endswith("enter a score for every seat.")


def test_a_sheet_is_open_until_somebody_has_a_score_or_a_place() -> None:
    assert is_open(open_sheet(2))
    assert not is_open(GameSheet([None, 0.0], [None, None]))
    assert not is_open(GameSheet([None, None], [None, 2]))
