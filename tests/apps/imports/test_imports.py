"""Importing games by the thousand: all or nothing, with line numbers."""

import gzip
from collections.abc import Callable
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError

from league.apps.imports.services import run as imports
from league.apps.imports.services.run import ImportOptions, ImportReport, import_games, read_file, record_games
from league.core.errors import Busy, Invalid, NotFound, Refused
from league.core.games.services import game_files as files
from league.core.leagues.services.leagues import adopt_rule, create_league
from league.core.players.selectors.resolve import find_player
from league.core.players.services import add_players as newcomers
from league.core.players.services.players import add_player
from league.models import Game, League, Player, RatingChange
from tests.helpers.builders import derived, make_league, record, reread, sheet

pytestmark = [pytest.mark.engine, pytest.mark.django_db]

HEADER = "game_id,played_at,player,score,place\n"
EVENING = (
    HEADER
    + "1,2024-03-05T19:30:00Z,anna,1,\n1,2024-03-05T19:30:00Z,ben,0,\n"
    + "2,2024-03-05T19:30:00Z,ben,1,\n2,2024-03-05T19:30:00Z,cleo,1,\n"
)


def run(text: str | bytes, slug: str = "club", **more: Any) -> ImportReport:
    """Import a text into a league."""
    data = text.encode() if isinstance(text, str) else text
    return import_games(League.objects.get(slug=slug).pk, BytesIO(data), ImportOptions(by="test", **more))


def refused(text: str | bytes, **more: Any) -> Invalid:
    """Import a text that is refused; nothing is written."""
    before = (Game.objects.count(), Player.objects.count(), RatingChange.objects.count())
    with pytest.raises(Invalid) as caught:
        run(text, **more)
    assert (Game.objects.count(), Player.objects.count(), RatingChange.objects.count()) == before
    return caught.value


def test_an_import_gives_what_recording_one_by_one_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    league, other = make_league(), make_league(slug="other")
    assert run(EVENING) == ImportReport(2, 4, 0, 0, 2, ())
    record(other, sheet(("anna", "ben"), (1, 0), external_id="1"))
    record(other, sheet(("ben", "cleo"), (1, 1), external_id="2"))
    assert derived(league) == derived(other)
    assert list(league.games.order_by("number").values_list("external_id", "number")) == [("1", 1), ("2", 2)]
    # A second import of the same file changes nothing; a known game with other content is a conflict with its line.
    before = derived(league)
    assert run(EVENING) == ImportReport(0, 0, 2, 0, 0, ())
    assert (derived(league), league.games.count()) == (before, 2)
    error = refused(EVENING.replace("2,2024-03-05T19:30:00Z,ben,1", "2,2024-03-05T19:30:00Z,ben,3"))
    assert [(one.pointer, one.code) for one in error.problems] == [("/lines/4/game_id", "conflict")]
    monkeypatch.setattr(imports, "MAX_LOOKUPS", 1)
    assert run(EVENING).known == 2, "known games are found however many there are"


def test_forfeits_and_byes_are_imported_as_what_they_are() -> None:
    header, when = "game_id,played_at,player,score,kind\n", "2024-03-05T19:30:00Z"
    text = f"{header}1,{when},anna,1,forfeit\n1,{when},ben,0,forfeit\n2,{when},cleo,,full_bye\n"
    text += f"3,{when},anna,1,\n3,{when},ben,0,\n4,{when},anna,1,played\n4,{when},ben,0,played\n"
    make_league()
    assert run(text) == ImportReport(4, 7, 0, 0, 2, ())
    assert list(Game.objects.order_by("number").values_list("kind", flat=True)) == [
        "forfeit", "full_bye", "played", "played",
    ]  # fmt: skip
    assert set(RatingChange.objects.values_list("number", flat=True)) == {3, 4}
    assert run(text).known == 4


def test_a_kind_that_is_none_and_one_that_differs_are_refused_at_their_lines() -> None:
    header, when = "game_id,played_at,player,score,kind\n", "2024-03-05T19:30:00Z"
    make_league()
    error = refused(f"{header}1,{when},anna,1,blitz\n1,{when},ben,0,forfeit\n")
    assert [(problem.pointer, problem.code) for problem in error.problems] == [
        ("/lines/3/kind", "differs"), ("/lines/2/kind", "unknown_kind"),
    ]  # fmt: skip
    assert "the kind “blitz” is not one of: played, forfeit, full_bye" in error.detail


def test_players_are_created_only_where_asked() -> None:
    make_league()
    text = EVENING.replace("cleo", "Curaçao")
    error = refused(text)
    assert [problem.detail for problem in error.problems] == ["Line 5: no player is called “Curaçao”."]
    assert run(text, create_players=True).created_players == 1
    assert Player.objects.get(handle="curacao").name == "Curaçao"


def test_gzip_a_mark_of_byte_order_lines_in_any_order_and_days_alone_are_read() -> None:
    make_league(time_zone="Asia/Tokyo")
    lines = EVENING.replace("2024-03-05T19:30:00Z", "2024-03-05").splitlines(keepends=True)
    text = "".join([lines[0], lines[2], lines[3], lines[1], lines[4]])
    assert run(gzip.compress(b"\xef\xbb\xbf" + text.encode())).games == 2
    found = Game.objects.get(external_id="1")
    assert list(found.results.values_list("player__handle", flat=True)) == ["ben", "anna"], "seats in the file's order"
    assert found.played_at.isoformat() == "2024-03-04T15:00:00+00:00", "the first instant of the day in the zone"


def test_game_fields_are_read_and_other_columns_are_named() -> None:
    make_league("preferans")
    text = (
        "game_id,played_at,player,score,bula,mood\n"
        "7,2024-03-05,anna,-500,30,good\n7,2024-03-05,ben,40,30,bad\n7,2024-03-05,cleo,460,30,\n"
    )
    assert run(text).ignored == ("mood",)
    assert Game.objects.get().details == {"bula": 30.0}


BAD: dict[str, tuple[str | bytes, list[str]]] = {
    "an empty file": ("", ["lacks game_id, played_at, player, score (or place); it is: empty."]),
    "a header only": (HEADER, ["The file has no games below its header."]),
    "no score and no place": ("game_id,played_at,player\n", ["Line 1: the header lacks score (or place)"]),
    "a column twice": ("game_id,played_at,player,score,score\n", ["names score twice"]),
    "too many cells": (EVENING + "3,2024-03-05,anna,1,,7\n", ["Line 6: there are 6 cells under 5 columns."]),
    "no game": (EVENING + ",2024-03-05,anna,1,\n", ["Line 6: the game_id is empty."]),
    "no player": (EVENING + "3,2024-03-05,,1,\n3,2024-03-05,ben,1,\n", ["Line 6: the player is missing."]),
    "no number": (EVENING + "3,2024-03-05,anna,x,\n3,2024-03-05,ben,1_0,\n", [
        "Line 6: the score “x” is not a number.", "Line 7: the score “1_0” is not a number.",
    ]),
    "not finite": (EVENING + "3,2024-03-05,anna,nan,\n3,2024-03-05,ben,inf,\n", [
        "Line 6: the score “nan” is not a number.", "Line 7: the score “inf” is not a number.",
    ]),
    "half a place": (EVENING + "3,2024-03-05,anna,,1.5\n3,2024-03-05,ben,,2\n", [
        "Line 6: the place “1.5” is not a whole number.",
    ]),
    "no time": (EVENING + "3,yesterday,anna,1,\n3,yesterday,ben,0,\n", ["Line 6: played_at “yesterday” is neither"]),
    "year one": (EVENING + "3,0001-01-01,anna,1,\n", ["Line 6: played_at “0001-01-01” is neither"]),
    "no offset": (EVENING + "3,2024-03-05T19:30:00,anna,1,\n", ["Line 6: played_at “2024-03-05T19:30:00” needs an"]),
    "two times": (EVENING + "3,2024-03-05,anna,1,\n3,2024-03-06,ben,0,\n", [
        "Line 7: played_at of game 3 is “2024-03-06” here and “2024-03-05” on line 6.",
    ]),
    "a player twice": (EVENING + "3,2024-03-05,anna,1,\n3,2024-03-05,anna,0,\n", [
        "Line 7: game 3: Anna is in seats 1 and 2; a player can play a game only once.",
    ]),
    "one player": (EVENING + "3,2024-03-05,anna,1,\n", ["Line 6: game 3: Elo is for 2 or more players"]),
    "an absurd score": (EVENING + "3,2024-03-05,anna,2e9,\n3,2024-03-05,ben,0,\n", ["Line 6: game 3: Seat 1:"]),
    "the far future": (EVENING + "3,2090-03-05,anna,1,\n3,2090-03-05,ben,0,\n", ["Line 6: game 3: The game is dated"]),
    "a NUL": (EVENING + "3,2024-03-05,a\0nna,1,\n", ["Line 6:"]),
    "an open quote": (EVENING + '3,2024-03-05,"anna,1,\n4,2024-03-05,ben,1,\n', [
        "Line 6: this is not CSV (unexpected end of data); is a quotation mark left open?",
    ]),
    "a line after a cell of two lines": (HEADER + '1,2024-03-05,anna,1,"\n"\n1,2024-03-05,ben,x,\n', [
        "Line 4: the score “x” is not a number.",
    ]),
    "a day before the league": (EVENING + "3,1799-12-31,anna,1,\n3,1799-12-31,ben,0,\n", [
        "Line 6: game 3: The game is dated 1799-12-31, before the league's first rule",
    ]),
    "the wrong number of players": (EVENING + "".join(f"3,2024-03-05,p{seat},1,\n" for seat in range(101)), [
        f"Line {6 + seat}: no player is called “p{seat}”." for seat in range(100)
    ]),
    "a place for more than are there": (EVENING + "3,2024-03-05,anna,,1\n3,2024-03-05,ben,,1e300\n", [
        "Line 7: game 3: Seat 2: the place must be from 1 to 2",
    ]),
    "a broken gzip file": (b"\x1f\x8b\x08" + b"\0" * 7 + b"rungs", ["The file cannot be unpacked"]),
    "gzip of nothing": (gzip.compress(b""), ["lacks game_id, played_at, player, score (or place); it is: empty."]),
    "an unclear encoding": (EVENING.replace("cleo", "Go\u0144").encode("windows-1250"), [
        "The encoding of the file is not clear.",
    ]),
    "half a gzip file": (gzip.compress(EVENING.encode())[:-12], ["The file cannot be unpacked"]),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_a_bad_file_is_refused_with_its_lines_and_nothing_is_written(what: str) -> None:
    make_league()
    text, sentences = BAD[what]
    error = refused(text)
    told = [problem.detail for problem in error.problems] or [error.detail]
    assert len(told) == len(sentences)
    for sentence, expected in zip(told, sentences, strict=True):
        assert expected in sentence


@pytest.mark.slow("Reads fifty thousand lines; a bad line in a short file is refused by the same code.")
def test_one_bad_line_in_fifty_thousand_refuses_the_file() -> None:
    make_league()
    lines = [f"{number // 2},2024-03-05,{'ben' if number % 2 else 'anna'},{number % 7},\n" for number in range(50_000)]
    lines[40_001] = lines[40_001].replace(",ben,", ",bne,")
    error = refused(HEADER + "".join(lines))
    assert [problem.detail for problem in error.problems] == ["Line 40003: no player is called “bne”."]


def test_many_problems_are_counted_and_the_first_hundred_named(monkeypatch: pytest.MonkeyPatch) -> None:
    make_league()
    error = refused(HEADER + "".join(f"{number},2024-03-05,anna,x,\n" for number in range(250)))
    assert len(error.problems) == 100
    assert "And 247 more problems." in error.detail
    with monkeypatch.context() as patch:
        patch.setattr(files, "MAX_FILE_BYTES", 1000)
        refused(gzip.compress(EVENING.encode() * 100))


def test_an_import_needs_a_league_with_a_rule() -> None:
    bare = create_league("bare", "Bare")
    with pytest.raises(Refused, match="no rule yet"):
        import_games(bare.pk, BytesIO(EVENING.encode()), ImportOptions(by="test"))
    with pytest.raises(NotFound):
        import_games(bare.pk + 1, BytesIO(EVENING.encode()), ImportOptions(by="test"))


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str], str]:
    """Return a maker of files."""

    def make(text: str) -> str:
        path = tmp_path / "games.csv"
        path.write_text(text)
        return str(path)

    return make


def test_the_command_says_what_it_did(file: Callable[[str], str], capsys: pytest.CaptureFixture[str]) -> None:
    league = make_league()
    path = file(EVENING.replace("place\n", "place,mood\n").replace(",\n", ",,fine\n"))
    call_command("import_games", "club", path, "--dry-run")
    assert "Would import 2 games with 4 results" in capsys.readouterr().out
    assert (Game.objects.count(), derived(league), reread(league).last_number) == (0, ([], []), 0)
    call_command("import_games", "club", path)
    out = capsys.readouterr()
    assert "left aside: mood." in out.out
    assert "Imported 2 games with 4 results; 0 were there already; 0 players added; 2 games rated; " in out.out
    assert "rating …" in out.err


def test_the_command_fails_with_sentences(file: Callable[[str], str]) -> None:
    make_league()
    with pytest.raises(CommandError, match="no league “none”"):
        call_command("import_games", "none", file(EVENING))
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_games", "club", "/nowhere/games.csv")
    with pytest.raises(CommandError, match=r"Nothing was imported.\nLine 6: game 3: Elo"):
        call_command("import_games", "club", file(EVENING + "3,2024-03-05,anna,1,\n"))
    with pytest.raises(CommandError, match="header lacks"):
        call_command("import_games", "club", file(""))


def test_the_command_reads_lines_of_json_by_the_name_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_league()
    path = tmp_path / "games.ndjson.gz"
    text = '{"played_at": "2024-03-05", "results": [{"player": "anna", "score": 1}, {"player": "ben", "score": 0}]}\n'
    path.write_bytes(gzip.compress(text.encode() * 3))
    call_command("import_games", "club", str(path))
    assert "Imported 3 games with 6 results" in capsys.readouterr().out


def test_many_players_are_added_under_the_handles_that_adding_them_one_by_one_gives() -> None:
    make_league()
    add_player("player", "Somebody")
    add_player("zoe", "Zoe", ["zoe-2"])
    names = ["Zoë", "Иван", "Пётр", "zoe!", "Anna", "ben 2"]
    seats = "".join(f"{game},2024-03-05,{name},1\n{game},2024-03-05,dan,0\n" for game, name in enumerate(names))
    report = run(f"game_id,played_at,player,score\n{seats}", create_players=True)
    assert report.created_players == 5
    found = dict(Player.objects.exclude(handle__in=("anna", "ben", "cleo", "dan")).values_list("name", "handle"))
    assert found == {
        "Somebody": "player", "Zoe": "zoe", "Zoë": "zoe-3", "Иван": "player-2", "Пётр": "player-3", "zoe!": "zoe-4",
        "ben 2": "ben-2",
    }  # fmt: skip
    for name in ("Zoë", "Иван", "Пётр", "zoe!", "ben 2"):
        assert find_player(name).handle == found[name]
        assert find_player(found[name]).name == name


def test_players_whom_somebody_else_adds_meanwhile_undo_the_import(monkeypatch: pytest.MonkeyPatch) -> None:
    make_league()

    def late(rows: Any) -> Any:
        raise IntegrityError("duplicate key")

    monkeypatch.setattr(newcomers, "insert_rows", lambda *arguments: late(arguments))
    with pytest.raises(Busy, match="Someone else has just added some of these players"):
        run("game_id,played_at,player,score\n1,2024-03-05,anna,1\n1,2024-03-05,zoe,0\n", create_players=True)
    assert Game.objects.count() == 0


def test_a_rule_that_changes_while_a_file_is_read_undoes_the_import() -> None:
    league = make_league()
    games = read_file(league.pk, BytesIO(EVENING.encode()), ImportOptions("test"))
    adopt_rule(league.pk, "elo", {"k": 10}, date(2024, 1, 1), username="test")
    with pytest.raises(Busy, match="rules were changed"):
        record_games(league.pk, games, ImportOptions(by="test"))
