"""Writing tournament report files: as they came, changed lines in their columns, both versions."""

from dataclasses import replace
from datetime import date
from fractions import Fraction
from random import Random

import pytest

from league.apps.competitions.files.trf_reading import BadTrf, read_trf
from league.core.text.decoding import UnclearEncoding
from ratings.contract.competition import (
    CompetitionData,
    EntryData,
    FixtureData,
    PointsTable,
    RoundData,
    Seat,
    build_bye,
    build_fixture,
    build_forfeit,
    build_game,
    build_table,
)
from ratings.trf.building import build_document
from ratings.trf.competition import TrfCompetition, read_competition
from ratings.trf.document import TrfDocument, TrfForbidden, TrfPlayer
from ratings.trf.formats import TrfFormat
from ratings.trf.problems import CannotWriteTrf, TrfProblem
from ratings.trf.writing import write_trf
from tests.apps.competitions.files.trf_texts import FIVE, generate_trf

HEADER = "\n".join((
    "### 345678901234567890", "022 Graz", "XXR 9", "XXC white1", "XXS W=3.0 D=1.0", "XXZ 1 4", "XXP 1 5", "",
    "XXA    2  1.0  1.0  0.5", f"013 {'Rooks':32}   1    2", "NOR    1      National", "132" + " " * 88 + "26/11/27",
    "299 W         3.0    1    1",
))  # fmt: skip


def build_competition(**changes: object) -> TrfCompetition:
    """Return a competition of three, in which 1 beat 2 and 3 had a bye; then 3 drew with 1 and 2 lost by forfeit."""
    rounds = (
        RoundData(1, (build_game(1, 2, "win"), build_bye(3, "pairing_bye"))),
        RoundData(2, (build_game(3, 1, "draw"), build_bye(2, "half_bye"))),
    )
    players = (TrfPlayer(1, "Anna", rating=1900), TrfPlayer(2, "Ben"), TrfPlayer(3, "Cleo", title="FM", rank=2))
    entries = (EntryData(1, 1900), EntryData(2), EntryData(3, title="FM"))
    competition = TrfCompetition(
        "Cup",
        CompetitionData(entries, rounds, planned_rounds=3),
        players,
        TrfFormat("swiss"),
        starts=date(2026, 11, 27),
    )
    return replace(competition, **changes)  # type: ignore[arg-type]  # fields of the class


def write_lines(competition: TrfCompetition, version: str = "26") -> list[str]:
    """Return the lines of a competition's file."""
    data = write_trf(build_document(competition, version=version))  # type: ignore[arg-type]  # both are versions
    return data.decode().split("\r\n")


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
@pytest.mark.parametrize("last", [0, 1])
def test_what_nobody_changed_is_written_as_it_came(end: str, encoding: str, last: int) -> None:
    text = (HEADER + "\n" + FIVE).replace("Player 1 ", "Müller   ")
    data = text[: len(text) - last].replace("\n", end).encode(encoding)
    assert write_trf(read_trf(data)) == data


def test_a_changed_player_is_formatted_and_the_other_lines_stay() -> None:
    document = read_trf((HEADER + "\n" + FIVE).encode())
    lines = write_trf(document).decode().split("\n")
    changed = document.change_player(replace(document.players[5], name="Müller", rating=2001, fide_id="", birth=""))
    written = write_trf(changed).decode().split("\n")
    assert [number for number, line in enumerate(lines) if line != written[number]] == [19]
    assert written[19] == (
        "001    5 m    Müller                            2001 GER                         1.5    1  0000 - H     4 w +"
    )
    assert write_trf(changed.change_player(document.players[5])) == write_trf(document)
    assert write_trf(document.change_player(replace(document.players[5]))) == write_trf(document)


def test_a_letter_that_the_encoding_lacks_makes_the_file_utf_8() -> None:
    document = read_trf(FIVE.replace("Player 1 ", "Müller   ").encode("latin-1"))
    changed = document.change_player(replace(document.players[2], name="Łukasz"))
    assert "Łukasz" in write_trf(changed).decode("utf-8")


def test_lines_of_trf16_as_trf26_and_back() -> None:
    document = read_trf((HEADER + "\n" + FIVE).encode())
    lines = write_trf(document, version="26").decode().split("\n")
    assert lines[2:7] == ["142 9", "152 W", "162  W 3.0    D 1.0", "240 Z 003    1    4", "260 001 009    1    5"]
    assert lines[7:11] == [
        "", "250       1.0 001 002 0002 0002", "250       0.5 003 003 0002 0002",
        f"310   1 {'Rooks':65}   1    2",
    ]  # fmt: skip
    assert lines[11:] == (HEADER + "\n" + FIVE).split("\n")[10:]
    back = write_trf(read_trf(write_trf(document, version="26")), version="16").decode().split("\n")
    assert back[2:5] == ["XXR 9", "XXC white1", "XXS W=3.0 D=1.0 HPB=1.0 FPB=3.0 PAB=3.0 FW=3.0"]


def test_a_competition_in_trf26() -> None:
    assert write_lines(build_competition(tie_breaks=("BH/C1", "SB"), first_colour="white")) == [
        "012 Cup", "042 2026/11/27", "062 3", "072 1", "092 Individual: Swiss-System", "142 3", "152 W",
        "182 Rungs", "192 FIDE_DUTCH_2026", "202 BH/C1,SB",
        "001    1      Anna                              1900                             1.5          2 w 1     3 b =",
        "001    2      Ben                                                                0.5          1 b 0  0000 - H",
        "001    3   FM Cleo                                                               1.5    2  0000 - U     1 w =",
        "",
    ]  # fmt: skip


def test_a_competition_in_trf16() -> None:
    byes = {3: {1: "half_bye", 2: "zero_bye"}, 4: {3: "zero_bye"}}
    competition = build_competition(byes=byes, forbidden=(TrfForbidden((1, 2)),), first_colour="black")
    lines = write_lines(competition, "16")
    assert lines[5:7] == ["XXR 3", "XXC black1"]
    assert lines[7].endswith("2.0          2 w 1     3 b =  0000 - H")
    assert lines[10:] == ["XXZ 2", "XXP 1 2", ""]
    assert write_lines(competition)[-5:] == [
        "240 H 003    1", "240 Z 003    2", "240 Z 004    3", "260 001 003    1    2", "",
    ]  # fmt: skip


def test_points_that_an_arbiter_added_and_rounds_without_acceleration_are_written() -> None:
    competition = build_competition(format=TrfFormat("swiss", acceleration="given"))
    first, *others = competition.data.entries
    first = replace(first, added=((2, Fraction(-1)),), virtual=(Fraction(1), Fraction(0), Fraction(1, 2)))
    competition = replace(competition, data=replace(competition.data, entries=(first, *others)))
    lines = write_lines(competition)
    assert [line for line in lines if line.startswith(("250", "299"))] == [
        "250       1.0 001 001 0001 0001", "250       0.5 003 003 0001 0001", "299          -1.0    2    1",
    ]  # fmt: skip
    assert read_again(lines).data.entries[0] == first


def test_a_first_colour_that_is_not_stated_is_not_written_in_trf26() -> None:
    document = read_trf(("XXC rank\n" + FIVE).encode())
    assert write_trf(document, version="26").decode() == FIVE


def test_points_that_differ_are_written() -> None:
    table = PointsTable(
        win=Fraction(3), draw=Fraction(1), pairing_bye=Fraction(3), full_bye=Fraction(3), half_bye=Fraction(1),
        forfeit_win=Fraction(2),
    )  # fmt: skip
    competition = build_competition()
    competition = replace(competition, data=replace(competition.data, points=table))
    lines = write_lines(competition)
    assert "162  W 3.0    D 1.0    L 0.0    A 0.0    P 3.0" in lines
    assert "299 +         2.0" in lines
    assert [line[80:84] for line in lines if line.startswith("001")] == [" 4.0", " 1.0", " 4.0"]
    for version in ("16", "26"):
        assert read_again(write_lines(competition, version)).data.points == table


def read_again(lines: list[str]) -> TrfCompetition:
    """Return the competition of lines."""
    return read_competition(read_trf("\n".join(lines).encode()))


def test_all_results_come_back() -> None:
    entries = tuple(EntryData(number, 1500 + number) for number in range(1, 13))
    awarded = FixtureData((Seat(9, 1, points=Fraction(1, 2)), Seat(10, 1, points=Fraction(0))), "played")
    extra = FixtureData((Seat(11, 1, points=Fraction(1, 4)), Seat(12, 2)), "played")
    rounds = (
        RoundData(1, (build_game(1, 2, "win"), build_game(3, 4, "loss"), build_game(5, 6, "draw"),
                      build_forfeit(7, 8, 8), awarded, extra)),
        RoundData(2, (build_forfeit(1, 3, 1, 3), build_bye(2, "full_bye"), build_bye(4, "half_bye"),
                      build_bye(5, "zero_bye"), build_bye(6, "pairing_bye"), build_game(7, 9, "loss"),
                      build_game(8, 10, "draw"), build_bye(11, "zero_bye"), build_bye(12, "zero_bye"))),
        RoundData(3, (build_fixture(1, 4), *(build_bye(number, "zero_bye") for number in (2, 3, *range(5, 13))))),
    )  # fmt: skip
    players = tuple(TrfPlayer(number, f"Player {number}", rating=1500 + number) for number in range(1, 13))
    competition = TrfCompetition(
        "All", CompetitionData(entries, rounds, planned_rounds=3), players, TrfFormat("swiss"),
        unrated=frozenset({(1, 3), (2, 8)}),
    )  # fmt: skip
    lines = write_lines(competition)
    results = [line[98:99] for line in lines if line.startswith("001")]
    assert "".join(results) == "10LW==+-=010"
    assert "299 W        0.25    1   11" in lines
    again = read_again(lines)
    assert again.unrated == competition.unrated
    assert again.data == competition.data


def test_what_the_format_has_no_place_for_is_refused() -> None:
    three = CompetitionData(
        tuple(EntryData(number) for number in (1, 2, 3)), (RoundData(1, (build_table({1: 1, 2: 2, 3: 3}),)),)
    )
    with pytest.raises(CannotWriteTrf, match="games of two only"):
        build_document(build_competition(data=three))
    twice = replace(three, rounds=(RoundData(1, (build_game(1, 2, "win"), build_game(2, 1, "win"))),))
    with pytest.raises(CannotWriteTrf, match=r"Round 1: entry 2 has several games"):
        build_document(build_competition(data=twice))
    third = replace(three, rounds=(RoundData(1, (build_game(1, 2, "win"),)),), points=PointsTable(win=Fraction(1, 3)))
    with pytest.raises(CannotWriteTrf, match=r"1/3 points do not fit"):
        write_trf(build_document(build_competition(data=third)))
    germans = build_competition(players=tuple(TrfPlayer(at, "A", federation="GERMANY") for at in (1, 2, 3)))
    with pytest.raises(CannotWriteTrf, match="does not fit the columns"):
        write_trf(build_document(germans))


def test_a_round_robin_has_no_byes() -> None:
    text = write_lines(
        TrfCompetition(
            "League",
            CompetitionData(
                (EntryData(1), EntryData(2), EntryData(3)),
                (RoundData(1, (build_game(1, 2, "win"),)),),
                predetermined=True,
            ),
            tuple(TrfPlayer(number, "P") for number in (1, 2, 3)),
            TrfFormat("round_robin", double=True),
        )
    )
    assert "192 BERGER_DOUBLEROUNDROBIN" in text
    assert text[-2] == "001    3      P                                                                  0.0"
    assert read_again(text).format == TrfFormat("round_robin", double=True)


def damage(data: bytes, random: Random) -> bytes:
    """Return a file with some bytes changed, cut, doubled or exchanged."""
    damaged = bytearray(data)
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(damaged) + 1)
        match random.randrange(5):
            case 0:
                damaged[at : at + 1] = bytes([random.randrange(256)])
            case 1:
                del damaged[at : at + random.randint(1, 30)]
            case 2:
                damaged[at:at] = damaged[max(0, at - random.randint(1, 40)) : at]
            case 3:
                damaged[at:at] = random.choice([b"\t", b"\r", b"\n", "é".encode(), b" " * 9, b"299 W 9", b"0000 - U"])
            case _:
                damaged[at : at + 4] = b"%4d" % random.randrange(10000)
    return bytes(damaged)


def read_or_refuse(data: bytes) -> tuple[TrfDocument | None, tuple[TrfProblem, ...]]:
    """Return a file's document, or None and what is wrong with it."""
    try:
        return read_trf(data), ()
    except UnclearEncoding:
        return None, (TrfProblem(0, 0, "unclear", ""),)
    except BadTrf as error:
        return None, error.trf_problems


def hold_damaged(seeds: range) -> tuple[int, int]:
    """Read damaged files; return how many can be read, and how many are refused."""
    random = Random(seeds.start)
    files = [FIVE.encode(), (HEADER + "\n" + FIVE).encode(), generate_trf(4, players=7, rounds=4).encode("latin-1")]
    read = refused = 0
    for seed in seeds:
        data = damage(files[seed % 3], random)
        document, problems = read_or_refuse(data)
        if document is None:
            refused += 1
            lines = data.count(b"\n") + data.count(b"\r") + 1
            assert problems
            assert all(0 <= problem.line <= lines for problem in problems)
            continue
        read += 1
        assert write_trf(document) == data
        assert len(read_competition(document).data.entries) == len(document.players)
        again = read_trf(write_trf(document, version="26"))
        assert again.players == document.players
    return read, refused


def test_damaged_files() -> None:
    read, refused = hold_damaged(range(100))
    assert read > 10
    assert refused > 10


@pytest.mark.slow("2,000 files; a hundred are held above.")
@pytest.mark.uncounted("Runs the lines that the hundred run.")
def test_two_thousand_damaged_files() -> None:
    assert sum(hold_damaged(range(1000, 3000))) == 2000
