"""What a process stores of what it has worked out: so many bytes of it, what was asked for last stays."""

import pytest

from league import cached


def test_what_was_asked_for_the_longest_time_ago_goes_when_there_are_too_many_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cached, "MOST", 10_000)
    for number in range(4):
        cached.store("text", (number,), bytes(2_000))
    assert cached.find("text", (0,)) is not None
    cached.store("text", (4,), bytes(3_000))
    found = [number for number in range(5) if cached.find("text", (number,)) is not None]
    assert found == [0, 2, 3, 4]
    cached.store("text", (5,), bytes(20_000))
    assert [number for number in range(6) if cached.find("text", (number,)) is not None] == [5]
