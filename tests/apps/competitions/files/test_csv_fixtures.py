"""CSV of fixtures: written, read again, and every faulty line."""

from datetime import datetime, timedelta, timezone
from fractions import Fraction

import pytest

from league.apps.competitions.files.csv_fixtures import FixtureCsvRow, read_fixtures, write_fixtures
from league.core.errors import BadFile, Invalid

CET, ZONE = timezone(timedelta(hours=1)), "Etc/GMT-1"
THURSDAY = datetime(2026, 11, 26, 19, 30, tzinfo=CET)
ROWS = (
    FixtureCsvRow(
        ("anna", "ben"), 1, table=1, scores=(Fraction(1), Fraction(0)), starts_at=THURSDAY, venue="Hall; left", line=2
    ),
    FixtureCsvRow(("cleo", "dan"), 1, table=2, scores=(Fraction(1, 2), Fraction(1, 2)), line=3),
    FixtureCsvRow(("eva", "fred"), 1, table=3, forfeits=(1,), reason="no_show", line=4),
    FixtureCsvRow(("gil",), 1, "pairing_bye", line=5),
    FixtureCsvRow(
        ("ida", "jan", "kai"), 2, table=1, places=(2, 1, 2), scores=(Fraction(-3), Fraction(8), Fraction(-3)), line=6
    ),
    FixtureCsvRow(("anna", "cleo"), deadline=THURSDAY, line=7),
)
TEXT = (
    "round,table,player_1,player_2,player_3,kind,result,places,reason,starts,deadline,venue\n"
    "1,1,anna,ben,,game,1:0,,,2026-11-26T19:30:00+01:00,,Hall; left\n"
    "1,2,cleo,dan,,game,0.5:0.5,,,,,\n"
    "1,3,eva,fred,,game,'+:-,,no_show,,,\n"
    "1,,gil,,,pairing_bye,,,,,,\n"
    "2,1,ida,jan,kai,game,'-3:8:-3,2:1:2,,,,\n"
    ",,anna,cleo,,game,,,,,2026-11-26T19:30:00+01:00,\n"
)


def list_problems(text: str) -> list[tuple[int | None, str, str]]:
    """Return line, pointer and code of each problem."""
    with pytest.raises(BadFile) as caught:
        read_fixtures(text.encode(), ZONE)
    return [(problem.line, problem.pointer, problem.code) for problem in caught.value.problems]


def test_fixtures_are_written() -> None:
    assert write_fixtures(ROWS) == TEXT


def test_what_is_written_is_read_again() -> None:
    assert read_fixtures(TEXT.encode(), "UTC").rows == ROWS


def test_a_sheet_of_a_spreadsheet() -> None:
    """Semicolons, windows-1252, decimal commas, a date alone, a column of one's own."""
    text = (
        "Round;Player 1;Player 2;Result;Starts;Colour of the table\r\n"
        "1;Jürgen;Ben;0,5-0,5;2026-11-26;red\r\n2;Ben;Jürgen;½–½;2026-11-27 19:30;\r\n"
    )
    found = read_fixtures(text.encode("cp1252"), ZONE)
    first, second = found.rows
    assert found.ignored == ("Colour of the table",)
    assert (first.players, first.scores) == (("Jürgen", "Ben"), (Fraction(1, 2), Fraction(1, 2)))
    assert first.starts_at == datetime(2026, 11, 26, tzinfo=CET)
    assert second.scores == (Fraction(1, 2), Fraction(1, 2))
    assert second.starts_at == datetime(2026, 11, 27, 19, 30, tzinfo=CET)


@pytest.mark.parametrize(
    ("result", "forfeits"),
    [("+:-", (1,)), ("-:+", (0,)), ("-:-", (0, 1)), ("+--", (1,)), ("+ - -", (1,)), ("- - -", (0, 1))],
)
def test_forfeits(result: str, forfeits: tuple[int, ...]) -> None:
    (row,) = read_fixtures(f"player_1,player_2,result\nanna,ben,{result}\n".encode(), ZONE).rows
    assert (row.forfeits, row.scores) == (forfeits, ())


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("0,1,anna,ben,,,,,,", ("/round", "number")),
        ("1,x,anna,ben,,,,,,", ("/table", "number")),
        ("1,1,,ben,,,,,,", ("/player_1", "missing")),
        ("1,1,anna,anna,,,,,,", ("/player_2", "player_twice")),
        ("1,1,anna,ben,duel,,,,,", ("/kind", "unknown_kind")),
        ("1,1,anna,,game,,,,,", ("/kind", "too_few_players")),
        ("1,1,anna,ben,full_bye,,,,,", ("/kind", "too_many_players")),
        ("1,1,anna,,half_bye,,1,,,", ("/result", "bye_with_result")),
        ("1,1,anna,ben,,1:0:0,,,,", ("/result", "result")),
        ("1,1,anna,ben,,one:0,,,,", ("/result", "result")),
        ("1,1,anna,ben,,+:+,,,,", ("/result", "result")),
        ("1,1,anna,ben,,+:0,,,,", ("/result", "result")),
        ("1,1,anna,ben,,,1,,,", ("/places", "places")),
        ("1,1,anna,ben,,+:-,,bored,,", ("/reason", "unknown_reason")),
        ("1,1,anna,ben,,1:0,,late,,", ("/reason", "reason_without_forfeit")),
        ("1,1,anna,ben,,,,,Thursday,", ("/starts", "time")),
        ("1,1,anna,ben,,,,,2026-02-30 10:00,", ("/starts", "time")),
        ("1,1,anna,ben,,,,,2026-11-27,2026-11-26", ("/deadline", "deadline_before_start")),
        ("1,1,anna,ben,,,,,,,more", ("", "too_many_cells")),
        ("1,1,eva,ben,,,,,,", ("", "table_twice")),
        ("1,2,eva,CLEO,,,,,,", ("", "twice_in_round")),
    ],
)
def test_a_faulty_line_is_named(row: str, problem: tuple[str, str]) -> None:
    header = "round,table,player_1,player_2,kind,result,places,reason,starts,deadline\n"
    pointer, code = problem
    row = row if code in ("table_twice", "twice_in_round") else row.replace("1,1,", "3,1,", 1)
    assert list_problems(f"{header}1,1,cleo,dan,,,,,,\n2,1,a,b,,,,,,\n{row}\n") == [(4, f"/lines/4{pointer}", code)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the header needs the columns player_1, player_2"),
        (b"player_1,player_3\na,b\n", "the header needs the columns player_1, player_2"),
        (b"player_1,player_1\na,b\n", "the header names player_1 twice"),
        (b"player_1,player_2\n", "The file has no fixtures below its header"),
        (b'player_1,player_2\n"a,b\n', "this is not CSV"),
        (b"PK\0\0", "this is not text"),
        (b" " * (9 * 1024 * 1024), "larger than 8 MB"),
    ],
)
def test_what_is_no_csv_of_fixtures_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(Invalid, match=message):
        read_fixtures(data, ZONE)


def test_the_sentences() -> None:
    with pytest.raises(BadFile) as caught:
        read_fixtures(b"round,player_1,player_2\n1,anna,ben\n1,cleo,Anna\n", ZONE)
    assert [problem.detail for problem in caught.value.problems] == [
        "Line 3: Anna already has a fixture in round 1, on line 2."
    ]


@pytest.mark.parametrize("nobody", ["BYE", "bye", "(Bye)", "-- bye --", "Freilos", "spielfrei"])
@pytest.mark.parametrize("result", ["", "1-0", "1:0", "+:-", "0.5:0.5", "0:0"])
@pytest.mark.parametrize("first", [True, False])
def test_nobody_is_no_player(nobody: str, result: str, first: bool) -> None:
    if not first:
        result = {"1-0": "0-1", "1:0": "0:1", "+:-": "-:+"}.get(result, result)
    players = f"ann,{nobody}" if first else f"{nobody},ann"
    (row, _other) = read_fixtures(
        f"round,player_1,player_2,result\n1,{players},{result}\n1,ben,cid,1-0\n".encode(), ZONE
    ).rows
    assert row == FixtureCsvRow(("ann",), 1, "pairing_bye", line=2)


def test_nobody_cannot_win() -> None:
    for result in ("0-1", "-:+"):
        text = f"round,player_1,player_2,result\n1,ann,BYE,{result}\n1,ben,cid,1-0\n"
        assert list_problems(text) == [(2, "/lines/2/result", "bye_with_result")]
