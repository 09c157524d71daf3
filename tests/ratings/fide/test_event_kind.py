"""The kind of an event by its time control."""

import pytest

from ratings.fide.event_kind import find_event_kind


@pytest.mark.parametrize(
    ("time_control", "kind"),
    [
        # Minutes for sixty moves: 120, 60, 59.98, 25, 10.02, 10, 5, 3.
        ("5400+30", "standard"), ("3600", "standard"), ("3599", "rapid"), ("900+10", "rapid"), ("601", "rapid"),
        ("600", "blitz"), ("180+2", "blitz"), ("0+3", "blitz"), ("", "standard"),
        # 90 minutes for 40 moves, then 30, with 30 seconds a move from the start.
        ("40/5400+30:1800+30", "standard"),
        # 40 moves in 20 minutes, then 19 minutes and a minute for each of twenty moves; without it, rapid.
        ("40/1200:1140+60", "rapid"), ("40/1200:1200+60", "standard"),
        # A third period begins after sixty moves: 20 and 20 minutes count, not the hour.
        ("40/1200:20/1200:3600", "rapid"),
        # Only forty moves have time: two hours; and ten minutes with ten seconds for each of them, 16:40.
        ("40/7200", "standard"), ("40/600+10", "rapid"),
    ],
)  # fmt: skip
def test_the_time_for_sixty_moves_decides(time_control: str, kind: str) -> None:
    assert find_event_kind(time_control) == kind
