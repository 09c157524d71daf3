"""The slope chart of two boards: who is drawn at which height, and in which colour."""

import pytest
from django.test import Client

from league.core.leaderboard.selectors.compared import RankMove
from league.web.public.charts.slopes import HEAD, MAX_RANKS, ROW, draw_slopes
from tests.helpers.builders import EVENING, make_league, record, sheet


def move(name: str, before: int | None, after: int | None) -> RankMove:
    """Return a player's ranks on two days; scores are not drawn."""
    return RankMove(1, name.lower(), name, None, None, before, after)


def test_a_line_leads_from_the_first_rank_to_the_second() -> None:
    drawn = draw_slopes([move("Anna", 1, 3), move("Ben", 2, 2), move("Cleo", 3, 1), move("Dan", None, 4)])
    assert drawn is not None
    assert drawn.height == HEAD + 4 * ROW
    heights = {slope.name: ((slope.start - HEAD) / ROW, (slope.end - HEAD) / ROW) for slope in drawn.slopes}
    # The middles of the rows; Dan comes from below the board.
    assert heights == {"Anna": (0.5, 2.5), "Ben": (1.5, 1.5), "Cleo": (2.5, 0.5), "Dan": (4.0, 3.5)}
    assert [(slope.name, slope.kind) for slope in drawn.slopes] == [
        ("Ben", "same"), ("Anna", "down"), ("Cleo", "up"), ("Dan", "up")
    ]  # fmt: skip
    assert [slope.rank_before for slope in drawn.slopes] == [2, 1, 3, None]


def test_ties_are_below_each_other_and_ranks_beyond_the_last_have_no_name() -> None:
    many = [move(f"P{number:02}", number, number) for number in range(1, MAX_RANKS)]
    drawn = draw_slopes([*many, move("Up", MAX_RANKS + 9, MAX_RANKS), move("Down", MAX_RANKS, MAX_RANKS + 1)])
    assert drawn is not None
    up, down = (next(slope for slope in drawn.slopes if slope.name == name) for name in ("Up", "Down"))
    assert (up.rank_before, up.rank_after, up.start) == (None, MAX_RANKS, drawn.height)
    assert (down.rank_before, down.rank_after, down.end) == (MAX_RANKS, None, drawn.height)
    tied = draw_slopes([move("Anna", 1, 1), move("Ben", 2, 1)])
    assert tied is not None
    assert sorted(slope.end for slope in tied.slopes) == [HEAD + ROW * 0.5, HEAD + ROW * 1.5]


@pytest.mark.parametrize("moves", [[], [move("Anna", 1, 1), move("Ben", 2, 2)], [move("Anna", None, None)]])
def test_boards_without_a_change_are_not_drawn(moves: list[RankMove]) -> None:
    assert draw_slopes(moves) is None


@pytest.mark.django_db
def test_the_page_draws_all_of_the_first_ranks() -> None:
    league = make_league(players=("anna", "ben", "cleo"), starts={"anna": 1540.0, "ben": 1530.0, "cleo": 1400.0})
    for pair in (("anna", "ben"), ("anna", "cleo")):
        record(league, sheet(pair, (1, 1)))
    record(league, sheet(("ben", "anna"), (1, 0), minutes=2 * 24 * 60))
    first, last = (f"{EVENING:%Y-%m}-{EVENING.day + days:02}" for days in (1, 5))
    page = " ".join(Client().get(f"/leagues/club/compared/?from={first}&to={last}").content.decode().split())
    assert "<title>Anna: 1 → 2</title>" in page
    assert "<title>Ben: 2 → 1</title>" in page
    assert "<title>Cleo: 3 → 3</title>" in page
    assert page.count('<g class="same">') == 1
    still = Client().get(f"/leagues/club/compared/?from={first}&to={first[:-2]}{EVENING.day + 2:02}").content.decode()
    assert "<g class=" not in still
