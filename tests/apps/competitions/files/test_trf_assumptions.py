"""What a tournament report does not state is named when it is imported, and each round is compared with the rules."""

import pytest

from league.apps.competitions.services import read_files
from league.apps.competitions.services.read_files import read_report
from tests.apps.competitions.files.trf_texts import build_trf

#: The first round of four, as the rules pair it with White for the first player.
ROWS = ("1 1.0 1 | 3 w 1", "2 1.0 1 | 4 b 1", "3 0.0 3 | 1 b 0", "4 0.0 3 | 2 w 0")
POINTS = "162  W 1.0    D 0.5    L 0.0    A 0.0    P 1.0"
STATED = ("012 Four", "042 2026/03/01", "092 Individual: Swiss-System", "142 3", "152 W", POINTS, "202 BH,SB")


def list_codes(*header: str, rows: tuple[str, ...] = ROWS) -> list[str]:
    """Return the codes of the warnings of a file."""
    return [one.code for one in read_report(build_trf(*rows, header=header).encode(), "UTC").warnings]


def test_a_file_that_states_everything_has_no_warning() -> None:
    assert list_codes(*STATED) == []


@pytest.mark.parametrize(
    ("left_out", "code"),
    [
        ("012", "title_assumed"),
        ("092", "swiss_assumed"),
        ("142", "rounds_open"),
        ("152", "white_assumed"),
        ("162", "points_assumed"),
        ("202", "tie_breaks_assumed"),
    ],
)
def test_each_line_that_is_missing_is_named(left_out: str, code: str) -> None:
    assert list_codes(*(line for line in STATED if not line.startswith(left_out))) == [code]


def test_a_round_robin_and_black_are_seen_from_the_games() -> None:
    rows = ("1 0.5 1 | 2 b = | | ", "2 0.5 1 | 1 w = | | ", "3 0.0 3 | | | ")
    header = [line for line in STATED if line[:3] not in ("092", "152")]
    assert "swiss_assumed" in list_codes(*header, rows=rows)
    # The Berger table of three: 2–3, 1–2, 3–1.
    everyone = (
        "1 1.0 1 | | 2 w = | 3 b =",
        "2 1.0 1 | 3 w = | 1 b = | ",
        "3 1.0 1 | 2 b = | | 1 w =",
    )
    assert list_codes(*header, rows=everyone) == ["round_robin_assumed"]
    black = tuple(row.replace(" w ", " x ").replace(" b ", " w ").replace(" x ", " b ") for row in ROWS)
    assert list_codes(*(line for line in STATED if line[:3] != "152"), rows=black) == ["black_assumed"]


def test_a_round_that_does_not_follow_is_named_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = ("1 1.0 1 | 2 w 1", "2 0.0 3 | 1 b 0", "3 1.0 1 | 4 w 1", "4 0.0 3 | 3 b 0")
    text = build_trf(*rows, header=STATED).encode()
    found = read_report(text, "UTC").warnings
    assert [(one.line, one.code) for one in found] == [(8, "pairing_differs"), (10, "pairing_differs")]
    assert found[0].detail == "Round 1: 1–2 does not follow. By the rules: 1–3, 4–2."
    monkeypatch.setattr(read_files, "MAX_CHECKED", 3)
    assert [one.code for one in read_report(text, "UTC").warnings] == ["not_checked"]


def test_players_of_whom_a_round_says_nothing_are_named() -> None:
    rows = (*ROWS, "5 0.0 5 | ")
    found = read_report(build_trf(*rows, header=STATED).encode(), "UTC").warnings
    assert [(one.code, one.detail) for one in found if one.code == "byes_assumed"] == [
        ("byes_assumed", "Round 1: the file says nothing of 5. They have a zero-point bye."),
    ]
    # Line 240 says it.
    assert "byes_assumed" not in list_codes(*STATED, "240 Z   1    5", rows=rows)


def test_texts_that_do_not_fit_are_named_with_their_line() -> None:
    long = "A" * 200
    header = (f"012 {long}", "032 Atlantis", "222 soon", *STATED[1:])
    found = read_report(build_trf(*ROWS, header=header).encode(), "UTC").warnings
    assert {(one.line, one.code) for one in found} == {(1, "shortened"), (2, "left_out"), (3, "left_out")}
    assert f"“{long}” becomes “{long[:120]}” here." in found[0].detail
