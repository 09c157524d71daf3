"""Reading tournament report files: what is read, and every faulty line with its column."""

from collections import Counter
from datetime import date
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from league.apps.competitions.files.trf_reading import MAX_MEGABYTES, BadTrf, read_trf
from ratings.contract.result_table import tabulate_results
from ratings.trf import checking
from ratings.trf.competition import read_competition
from ratings.trf.document import (
    TrfAcceleration,
    TrfAccelerations,
    TrfAward,
    TrfByes,
    TrfCell,
    TrfDocument,
    TrfForbidden,
    TrfPlayer,
    TrfPoints,
    TrfRoundDates,
    TrfTeam,
)
from ratings.trf.problems import ERRORS, WARNINGS
from ratings.trf.reading import read_text
from ratings.trf.writing import write_trf
from tests.apps.competitions.files.trf_texts import FIVE, build_trf, generate_trf

ROOT = Path(__file__).parents[4]
WITH_NAME = FIVE.replace("Player 1 ", "Müller   ")
PLAYER = f"001   12 wWGM {'Polgár, Zsófia':33} 2450 HUN    00700088 1974/11/02 11.5    3"


#: Line 3 becomes player 2, who is on line 4 too.
TWICE = [
    (4, 5, "start_number_twice"), (3, 92, "paired_twice"), (3, 102, "own_opponent"), (5, 92, "unknown_opponent"),
    (6, 92, "paired_twice"),
]  # fmt: skip


def list_errors(text: str | bytes) -> list[tuple[int, int, str]]:
    """Return line, column and code of each error."""
    data = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(BadTrf) as caught:
        read_trf(data)
    return [(problem.line, problem.column, problem.code) for problem in caught.value.trf_problems]


def list_warnings(text: str) -> list[tuple[int, int, str]]:
    """Return line, column and code of each warning."""
    return [(problem.line, problem.column, problem.code) for problem in read_trf(text.encode()).warnings]


def read_lines(*lines: str) -> TrfDocument:
    """Return the document of the five players with more lines before them."""
    return read_trf(("\n".join(lines) + "\n" + FIVE).encode())


def change_line(number: int, column: int, part: str) -> str:
    """Return the file of five players with a part of a line replaced, from a column on."""
    lines = FIVE.split("\n")
    line = lines[number - 1].ljust(column)
    lines[number - 1] = line[: column - 1] + part + line[column - 1 + len(part) :]
    return "\n".join(lines)


def test_a_player() -> None:
    player = read_trf(PLAYER.encode()).players[12]
    assert player == TrfPlayer(
        12, "Polgár, Zsófia", "w", "WGM", 2450, "HUN", "00700088", "1974/11/02", Fraction(23, 2), 3, ()
    )
    assert player.display_name == "Zsófia Polgár"


def test_the_cells_of_rounds() -> None:
    players = read_trf(FIVE.encode()).players
    assert players[1].rounds == (TrfCell(3, "w", "1"), TrfCell(2, "b", "="))
    assert players[3].rounds == (TrfCell(1, "b", "0"), TrfCell(0, "", "U"))
    assert players[5].get_cell(3) == TrfCell()


def test_lower_and_upper_case_and_blanks() -> None:
    text = build_trf("1 1.0 1 | 2 W 1 | - - h |", "2 0.0 1 | 1 B 0 |  | - - z")
    document = read_trf(text.replace("0000 - h", "     - h").encode())
    assert document.players[1].rounds == (TrfCell(2, "w", "1"), TrfCell(0, "", "H"), TrfCell())[:2]
    assert document.players[2].rounds == (TrfCell(1, "b", "0"), TrfCell(), TrfCell(0, "", "Z"))


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_line_ends(end: str) -> None:
    document = read_trf(FIVE.replace("\n", end).encode())
    assert len(document.players) == 5
    assert {line.end for line in document.lines} == {end}
    assert [line.number for line in document.lines] == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    ("data", "encoding", "mark"),
    [
        (WITH_NAME.encode(), "utf-8", b""),
        (WITH_NAME.encode("utf-8-sig"), "utf-8", b"\xef\xbb\xbf"),
        (WITH_NAME.encode("latin-1"), "windows-1252", b""),
        (b"\xff\xfe" + WITH_NAME.encode("utf-16-le"), "utf-16-le", b"\xff\xfe"),
        (b"\xfe\xff" + WITH_NAME.encode("utf-16-be"), "utf-16-be", b"\xfe\xff"),
    ],
)
def test_encodings(data: bytes, encoding: str, mark: bytes) -> None:
    document = read_trf(data)
    assert (document.encoding, document.mark) == (encoding, mark)
    assert document.players[1].name == "Müller"
    assert write_trf(document) == data


@pytest.mark.parametrize(
    ("name", "columns"),
    [("Jürgen Ångström", 33), ("Jürgen Ångström", 30), ("王小明", 30), ("王小明", 27), ("Zoë", 33)],
)
def test_names_whose_columns_another_program_counted_otherwise(name: str, columns: int) -> None:
    """33 columns of letters are fewer letters if bytes of UTF-8 or the widths of Chinese letters are counted."""
    text = FIVE.replace(f"{'Player 1':33}", name + " " * (columns - len(name)))
    player = read_trf(text.encode()).players[1]
    assert (player.name, player.rating, player.points) == (name, 1801, Fraction(3, 2))


def test_a_name_in_decomposed_letters() -> None:
    text = FIVE.replace(f"{'Player 1':33}", "Zoe\u0308" + " " * 30)
    assert read_trf(text.encode()).players[1].name == "Zoë"


def test_the_header() -> None:
    document = read_lines("022 Graz", "042 2026/11/27", "102 Anna Arbiter", "112 One", "112 Two", "142 4", "152 b")
    assert document.get_text("012") == "Club evening"
    assert document.get_text("102") == "Anna Arbiter"
    assert document.list_texts("112") == ["One", "Two"]
    assert (document.planned_rounds, document.paired_rounds) == (4, 2)
    assert read_lines("XXR 9", "142 4").planned_rounds == 4


def test_the_dates_of_rounds() -> None:
    dates = "132" + " " * 88 + "26/11/27  26/11/28"
    assert read_lines(dates).list_values(TrfRoundDates) == [TrfRoundDates(("26/11/27", "26/11/28"))]


def test_points_byes_and_pairs() -> None:
    document = read_lines(
        "XXS W=3 D=1", "XXZ 1 4", "XXP 1 5", "240 H 003 0002 0003", "260 001 002    1    4", "299 F         2.5",
        "299          -1.0    2    3",
    )  # fmt: skip
    three, one = Fraction(3), Fraction(1)
    assert document.list_values(TrfPoints) == [
        TrfPoints((("win", three), ("forfeit_win", three), ("full_bye", three), ("draw", one), ("half_bye", one)))
    ]
    assert document.list_values(TrfByes) == [TrfByes("zero_bye", 0, (1, 4)), TrfByes("half_bye", 3, (2, 3))]
    assert document.list_values(TrfForbidden) == [TrfForbidden((1, 5)), TrfForbidden((1, 4), 1, 2)]
    assert document.list_values(TrfAward) == [TrfAward("F", Fraction(5, 2)), TrfAward("", Fraction(-1), 2, (3,))]


def test_line_162_gives_the_bye_the_points_of_a_win_unless_it_says_otherwise() -> None:
    (points,) = read_lines("162  W 3.0    D 1.0    L 0.5").list_values(TrfPoints)
    assert dict(points.amounts)["pairing_bye"] == 3
    (points,) = read_lines("162  P 1.0    W 3.0    A-1.0").list_values(TrfPoints)
    assert dict(points.amounts) == {
        "pairing_bye": 1, "win": 3, "forfeit_win": 3, "full_bye": 3, "zero_bye": -1, "forfeit_loss": -1,
    }  # fmt: skip


def test_accelerations() -> None:
    document = read_lines("XXA    2  1.0  1.0  0.5", "250       1.0 001 003 0001 0004")
    half, one = Fraction(1, 2), Fraction(1)
    assert document.list_values(TrfAccelerations) == [
        TrfAccelerations((TrfAcceleration(one, 1, 2, 2, 2), TrfAcceleration(half, 3, 3, 2, 2))),
        TrfAccelerations((TrfAcceleration(one, 1, 3, 1, 4),)),
    ]
    assert "acceleration" not in {problem.code for problem in document.warnings}
    of_all = read_lines("192 FIDE_ROUNDROBIN", "250       1.0 001 003 0001 0004")
    assert "acceleration" in {problem.code for problem in of_all.warnings}


def test_teams() -> None:
    lines = f"013 {'Rook and roll':32}   1    2", f"310   2 {'Pawn stars':65}   3    4    5"
    assert read_lines(*lines).list_values(TrfTeam) == [
        TrfTeam("Rook and roll", (1, 2)),
        TrfTeam("Pawn stars", (3, 4, 5), 2),
    ]


@pytest.mark.parametrize(
    ("line", "column", "part", "errors"),
    [
        (3, 5, " abc", [(3, 5, "start_number"), (4, 102, "unknown_opponent"), (5, 92, "unknown_opponent")]),
        (3, 5, "   2", TWICE),
        (3, 15, " " * 33, [(3, 15, "name_missing")]),
        (3, 49, "18x1", [(3, 49, "number")]),
        (3, 48, "x", [(3, 48, "columns")]),
        (3, 81, " 1,x", [(3, 81, "number")]),
        (3, 90, "x", [(3, 90, "columns")]),
        (3, 92, "   9", [(3, 92, "unknown_opponent"), (5, 92, "paired_twice")]),
        (3, 92, "   1", [(3, 92, "own_opponent")]),
        (3, 92, "   2", [(3, 92, "paired_twice"), (5, 92, "paired_twice")]),
        (3, 92, " x 2", [(3, 92, "number")]),
        (3, 96, "5", [(3, 96, "columns")]),
        (3, 97, "r", [(3, 97, "colour")]),
        (3, 97, "b", [(3, 97, "same_colour"), (5, 97, "same_colour")]),
        (3, 97, "-", [(3, 97, "colour_missing"), (5, 97, "colour_missing")]),
        (3, 99, "9", [(3, 99, "result")]),
        (3, 99, "H", [(3, 92, "bye_with_opponent")]),
        (6, 99, "1", [(4, 99, "results_differ"), (6, 99, "results_differ")]),
        (3, 99, " ", [(3, 99, "results_differ"), (5, 99, "results_differ")]),
        (5, 99, "1", [(3, 99, "both_win"), (5, 99, "both_win")]),
        (5, 92, "0000 - H", [(3, 92, "one_sided")]),
        (7, 92, "0000 - 1", [(7, 92, "no_opponent")]),
        (7, 102, " " * 8, [(6, 102, "one_sided")]),
        (4, 20, "\t", [(4, 20, "tab"), (3, 102, "unknown_opponent"), (6, 92, "unknown_opponent")]),
        (1, 20, "\x07", [(1, 20, "control_character")]),
        (1, 4, "x", [(1, 4, "columns")]),
    ],
)
def test_a_faulty_line_is_named_with_its_column(
    line: int, column: int, part: str, errors: list[tuple[int, int, str]]
) -> None:
    assert sorted(list_errors(change_line(line, column, part))) == sorted(errors)


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("XXR 1", (4, 102, "too_many_rounds")),
        ("142 0", (1, 5, "round_number")),
        ("152 G", (1, 5, "first_colour")),
        ("XXZ 1 77", (1, 7, "unknown_player")),
        ("XXZ 1 a7", (1, 7, "number")),
        ("XXP 3", (1, 0, "too_few_players")),
        ("260 000 002    1    4", (1, 5, "round_number")),
        ("260 001 002    1   44", (1, 20, "unknown_player")),
        ("240 X 003    1", (1, 5, "bye_kind")),
        ("240 H 001    1", (1, 0, "bye_of_player")),
        ("XXS W=3 Q=1", (1, 9, "points_code")),
        ("XXS W=drei", (1, 7, "number")),
        ("XXS WW=3 BW=2", (1, 5, "points_by_colour")),
        ("162  Q 1.0", (1, 6, "points_code")),
        ("162  W x.0", (1, 7, "number")),
        ("299 Q         1.0", (1, 5, "points_code")),
        ("299 W", (1, 14, "number")),
        ("250       1.0 001 003 xxxx", (1, 23, "start_number")),
        ("XXA    9  1.0", (1, 8, "unknown_player")),
        ("XXA    x  1.0", (1, 5, "start_number")),
        ("013 Rooks                             88", (1, 39, "unknown_player")),
        ("042 tomorrow", (1, 5, "day")),
        ("132" + " " * 88 + "some day", (1, 0, "day")),
        ("042 05/10/2010", (1, 5, "ambiguous_day")),
        ("052 2010/10/02\n042 2010/10/03", (1, 5, "last_day_first")),
        ("042 2010/10/02\n132" + " " * 88 + "10/10/01", (2, 0, "round_day")),
    ],
)
def test_other_faulty_lines(line: str, error: tuple[int, int, str]) -> None:
    assert error in list_errors(line + "\n" + FIVE)


def test_faulty_files() -> None:
    assert list_errors("") == [(0, 0, "no_players")]
    assert list_errors(b"PK\x03\x04\0\0") == [(0, 0, "not_text")]
    assert list_errors(b" " * (MAX_MEGABYTES * 1024 * 1024 + 1)) == [(0, 0, "too_large")]


def test_lines_that_keep_too_many_apart_are_refused_before_they_are_worked_through() -> None:
    group = "XXP" + "".join(f" {number:4}" for number in range(1, 301)) + "\n"
    players = build_trf(*(f"{number} 0 {number}" for number in range(1, 301)))
    assert len(read_trf((players + group * 4).encode()).list_values(TrfForbidden)) == 4  # 4 * 300 * 299 / 2 = 179,400
    assert list_errors(players + group * 5) == [(0, 0, "too_many_pairs")]


def test_of_a_million_unknown_players_only_the_first_are_told() -> None:
    group = "XXP" + "".join(f" {number:4}" for number in range(1001, 1301)) + "\n"
    errors = list_errors(FIVE + group * 4)
    assert Counter(code for _line, _column, code in errors) == {"unknown_player": 1000}
    assert list_errors(FIVE + "012 " + "x" * 3000) == [(8, 2001, "too_long")]


def test_the_sentences() -> None:
    with pytest.raises(BadTrf) as caught:
        read_trf(change_line(5, 99, "1").encode())
    assert caught.value.status == 400
    assert [(problem.line, problem.detail) for problem in caught.value.problems] == [
        (3, "Line 3, column 99: Round 1: players 1 and 3 both win."),
        (5, "Line 5, column 99: Round 1: players 3 and 1 both win."),
    ]
    assert caught.value.detail.startswith("Nothing was imported. Line 3, column 99: Round 1")


def test_every_code_is_on_the_page_of_files() -> None:
    page = (ROOT / "docs" / "organisers" / "competition-files.md").read_text(encoding="utf-8")
    errors, warnings = page.split("### Errors")[1].split("### Warnings")
    assert [code for code in ERRORS if f"`{code}`" not in errors] == []
    assert [code for code in WARNINGS if f"`{code}`" not in warnings] == []


def test_a_sound_file_has_no_warnings() -> None:
    assert list_warnings(FIVE) == []


@pytest.mark.parametrize(
    ("line", "column", "part", "warning"),
    [
        (3, 49, "    ", (3, 49, "rating_missing")),
        (3, 10, "x", (3, 10, "unusual")),
        (3, 11, "XM ", (3, 11, "unusual")),
        (3, 58, "GER-123", (3, 58, "unusual")),
        (3, 70, "next year ", (3, 70, "unusual")),
        (3, 81, " 9.0", (3, 81, "points_differ")),
        (3, 86, "   7", (3, 86, "rank_holes")),
        (3, 86, "    ", (3, 86, "rank_missing")),
        (3, 99, "0", (3, 99, "awarded")),
        (6, 102, "0000 - U", (0, 0, "two_pairing_byes")),
    ],
)
def test_warnings_of_players(line: int, column: int, part: str, warning: tuple[int, int, str]) -> None:
    text = change_line(line, column, part)
    if part.endswith("U"):
        text = text.replace("4 w +", "     ").replace("0000 - H  " + " " * 3 + "     ", "0000 - H")
    assert warning in list_warnings(text)


@pytest.mark.parametrize(
    ("line", "warning"),
    [
        ("062 6", (1, 5, "count_differs")),
        ("082 many", (1, 5, "unusual")),
        ("012 Another name", (2, 1, "repeated_line")),
        ("This is a list of players.", (1, 1, "unknown_line")),
        ("XXC green1", (1, 5, "unusual")),
    ],
)
def test_warnings_of_other_lines(line: str, warning: tuple[int, int, str]) -> None:
    assert warning in list_warnings(line + "\n" + FIVE)


def test_unknown_lines_with_letters_and_comments_are_no_problem() -> None:
    assert list_warnings("### made by hand\n\nNOR    1      National name\nDAT 0001 GROUP A\n" + FIVE) == []


def test_points_are_inferred_from_the_totals() -> None:
    text = build_trf("1 4.0 1 | 2 w 1 | 3 b =", "2 1.0 2 | 1 b 0 | - - U", "3 1.0 2 | - - Z | 1 w =")
    (problem,) = read_trf(text.encode()).warnings
    assert problem.code == "points_inferred"
    assert problem.detail == (
        "The file names no points. Its totals give 3.0 for a win, 1.0 for a draw and 1.0 for a bye."
    )


def test_a_file_of_another_program() -> None:
    document = read_trf(generate_trf(1, players=6, rounds=3).encode())
    assert document.get_text("192") == "FIDE_DUTCH"
    assert len(document.players) == 6


DIRT = (" ", "\t", "  \t ", "\x1a", "\xa0", " \xa0\t")


def test_harmless_dirt_is_read_as_if_it_was_not_there() -> None:
    text = "XXR 4\nxxc WHITE1\n240 h 003    5\n260 001 002    3    4\nXXS W=1 D=0.5\n" + FIVE
    clean = read_competition(read_trf(text.replace("xxc", "XXC").replace("240 h", "240 H").encode()))
    for seed in range(40):
        random = Random(seed)
        lines = []
        for line in text.split("\n"):
            lines += [random.choice(DIRT)] * (random.random() < 0.2)
            lead = random.choice(["", " ", "\t"]) if line.startswith(("XX", "xx")) else ""
            line = line.lower() if line[:2] in ("XX", "24") and random.random() < 0.5 else line
            lines.append(lead + line + random.choice(["", *DIRT]))
        end = random.choice(["\n", "\r\n", "\r"])
        dirty = end.join(lines).encode(random.choice(["utf-8", "utf-8-sig"]))
        document = read_trf(dirty)
        assert (document.warnings, read_competition(document)) == ((), clean), seed
        assert write_trf(document) == dirty


@pytest.mark.parametrize("rounds", ["XXR 2\n", ""])
def test_an_empty_round_at_the_end_is_left_out(rounds: str) -> None:
    lines = (rounds + FIVE).splitlines()
    players = [at for at, line in enumerate(lines) if line.startswith("001")]
    for seed in range(20):
        random = Random(seed)
        count = random.randint(1, len(players)) if rounds else len(players)
        absent = set(random.sample(players, count))
        cells = ["0000   -", "0000 - Z", "0000 - -", "     - Z", "     - z"]
        dirty = [
            line.ljust(91 + 10 + 8) + "  " + random.choice(cells) if at in absent else line
            for at, line in enumerate(lines)
        ]
        document = read_trf("\n".join(dirty).encode())
        assert [(problem.code, problem.line) for problem in document.warnings] == [("empty_round", 0)], seed
        assert read_competition(document).data == read_competition(read_trf((rounds + FIVE).encode())).data


def test_a_round_at_the_end_in_which_all_have_byes_counts() -> None:
    """Player 3 left after round 1 and has nothing since. Totals by hand: a bye gives 1, a half or nothing."""
    points = {"F": Fraction(1), "H": Fraction(1, 2), "Z": Fraction(0)}
    for seed in range(10):
        first, second = Random(seed).choice(["F", "H"]), Random(-seed).choice(["F", "H", "Z"])
        totals = [1 + points[first], points[second]]
        text = build_trf(
            f"1 {float(totals[0])} 1 | 2 w 1 | - - {first}", f"2 {float(totals[1])} 2 | 1 b 0 | - - {second}",
            "3 0.0 3 | - - Z",
        )  # fmt: skip
        for rounds in ("", "XXR 2\n", "XXR 5\n"):
            document = read_trf((rounds + text).encode())
            data = read_competition(document).data
            table = tabulate_results(data)
            assert (len(data.rounds), document.warnings) == (2, ())
            assert [Fraction(table.points[number], table.scale) for number in (1, 2)] == totals


TEAMS = f"""310   1 {"Reds":32} {"RED":5} 1980    2.0    0.0   1     3    4
310   2 {"Blues":32} {"BLU":5} 1990    1.0    1.0   2     1    x
013 Rooks                             88
"""
#: Lines that number teams.
OF_TEAMS = (
    "240 F   1    1", "240 H 002   39\t ", "260   1   3   77   78", "250  2          1   1    1   25",
    "299 W   2.0   2.5    1   31", "299    -1.0  -2.0    2   31", "320  1    2.0          50", "330 +-   1  23  33",
    "300   1  16  4  242  246", "352 WBWB", "362 TW 2.0   TD 1.0   TL 0.0", "162  W 1.0    D 0.5    Q 7.x",
    "XXZ 50", "XXP 61 62", "801  1 RED   15   28.0  14 b =0=1 1234", "802  1 RED   15   28.0",
)  # fmt: skip


@pytest.mark.parametrize("header", ["192 FIDE_TEAM_BAKU\n", "092 Team Swiss\n", "092 Swiss-System for Teams\n", ""])
def test_lines_of_teams_do_not_number_players(header: str) -> None:
    text = FIVE.replace("092 Individual: Swiss-System\n", header)
    alone = read_competition(read_trf(("362 TW 2.0\n" + text).encode()))
    for seed in range(10):
        lines = Random(seed).sample(OF_TEAMS, 5)
        document = read_trf(("362 TW 2.0\n" + text + TEAMS + "\n".join(lines)).encode())
        found = read_competition(document)
        assert found.format.key == "free"
        assert (found.data, found.byes, found.forbidden) == (alone.data, {}, ()), lines
        # Lines 240 and 299 are read with the teams.
        numbered = sum(line[:3] in ("250", "260", "XXZ", "XXP") for line in lines)
        assert sum(problem.code == "team_line" for problem in document.warnings) == numbered
        assert "teams" not in {problem.code for problem in document.warnings}


def test_lines_of_an_individual_competition_number_players() -> None:
    """Players may be grouped in teams although each is paired alone."""
    for header in ("192 FIDE_DUTCH_2026\n", "092 Individual: Swiss-System\n"):
        text = (
            header + FIVE.replace("092 Individual: Swiss-System\n", "") + f"013 {'Rooks':32}   1    2\n240 H 003    5"
        )
        found = read_competition(read_trf(text.encode()))
        assert (found.format.key, found.byes) == ("swiss", {3: {5: "half_bye"}})


def test_points_at_the_end_and_rounds_without_accelerations() -> None:
    document = read_lines("299           1.0  999    1", "XXA    2  1.0       0.5")
    assert document.list_values(TrfAward) == [TrfAward("", Fraction(1), 999, (1,))]
    runs = (TrfAcceleration(Fraction(1), 1, 1, 2, 2), TrfAcceleration(Fraction(1, 2), 3, 3, 2, 2))
    assert document.list_values(TrfAccelerations) == [TrfAccelerations(runs)]


def test_a_file_of_too_many_players_or_rounds_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    # The hundredth round begins in column 92 + 10 * 99; the one after it is too much.
    assert (3, 1092, "too_many_rounds") in list_errors(change_line(3, 1092, "0000 - H"))
    monkeypatch.setattr(checking, "MAX_PLAYERS", 4)
    assert list_errors(FIVE) == [(0, 0, "too_many_players")]


def test_a_player_without_points_contradicts_no_result() -> None:
    assert "points_differ" not in {code for _, _, code in list_warnings(change_line(3, 81, "    "))}


def test_days_are_left_out_if_nobody_asks_for_them() -> None:
    text = "042 2026/11/27\n" + FIVE
    assert read_text(text).days.find_first() == date(2026, 11, 27)
    assert read_text(text, with_days=False).days.find_first() is None


@pytest.mark.parametrize(
    ("first", "last", "rounds", "always"),
    [(0, 0, 0, True), (0, 0, 5, True), (1, 5, 5, True), (1, 4, 5, False), (2, 5, 5, False), (1, 5, 0, False)],
)
def test_who_must_not_meet_in_any_round(first: int, last: int, rounds: int, always: bool) -> None:
    assert TrfForbidden((1, 2), first, last).is_always(rounds) == always
