"""Lines of pasted entries."""

import pytest

from league.apps.competitions.organiser.entry_lines import parse_entry_lines


@pytest.mark.parametrize(
    ("text", "sides_of", "expected"),
    [
        ("- Anna\t1800", 1, [(1, ("Anna",), "", 1800)]),
        (
            "\nOwls: Anna, Ben; 1850\nCleo / Dan",
            2,
            [(2, ("Anna", "Ben"), "Owls", 1850), (3, ("Cleo", "Dan"), "", None)],
        ),
        # Ids with a space, in a numbered list, and after a number sign.
        (
            "fide: 78123; 1900\n1. 78124\n(3) 78125\t1800\n#78126\n5. FIDE : 78127\n6) #78128\n78129\n#7 78130",
            1,
            [
                (1, ("fide:78123",), "", 1900),
                (2, ("78124",), "", None),
                (3, ("78125",), "", 1800),
                (4, ("78126",), "", None),
                (5, ("FIDE:78127",), "", None),
                (6, ("78128",), "", None),
                (7, ("78129",), "", None),
                (8, ("78130",), "", None),
            ],
        ),
        # Numbers without a name are no names, and numbers that belong to a name stay.
        (
            "1. Anna\n2.\n(3)\n#4\n1. 2. Maat\n(3) 4 Jokers\n2000\t1850",
            1,
            [
                (1, ("Anna",), "", None),
                (5, ("1. 2. Maat",), "", None),
                (6, ("(3) 4 Jokers",), "", None),
                (7, ("2000",), "", 1850),
            ],
        ),
    ],
)
def test_lines_of_entries(text: str, sides_of: int, expected: list[object]) -> None:
    lines, problems = parse_entry_lines(text, range(sides_of, sides_of + 1))
    found = [(line.line, tuple(line.new.players), line.new.row.name, line.new.row.rating) for line in lines]
    assert found == expected
    assert problems == []


def test_lines_of_entries_that_cannot_be_read_are_named() -> None:
    _lines, problems = parse_entry_lines("Anna; strong\nOwls: Anna\n; 1800\na;1;b;c;d", range(2, 3))
    assert [problem.partition(":")[0] for problem in problems] == ["Line 1", "Line 2", "Line 3", "Line 4"]
