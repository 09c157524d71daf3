"""Reading files for an import: what a header must hold, where a sentence points, what is too much."""

import gzip
import os
import threading
from io import BytesIO, StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from league.apps.imports.services.run import ImportOptions, ImportReport, import_games, import_parsed_games
from league.core.errors import BadFile, Invalid
from league.core.games.services import game_files as files
from league.core.games.services.game_files import ReadFile, ReadGame
from league.core.jobs.services.progress import Progress, ignore_progress
from league.core.leagues.services.leagues import create_league
from league.models import Game, Player, Result
from league.web.terminal.progress import Bars
from tests.helpers.builders import make_league, sheet
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db


def run(league: Any, text: str | bytes, progress: Progress = ignore_progress, **more: Any) -> ImportReport:
    """Import a text."""
    data = text.encode() if isinstance(text, str) else text
    return import_games(league.pk, BytesIO(data), ImportOptions(by="test", **more), progress)


@pytest.mark.parametrize(
    ("system", "header", "sentence"),
    [
        ("barbu", "game_id,played_at,player,scroe,place",
         "lacks score; it is: game_id, played_at, player, scroe, place. Is “scroe” a misspelling?"),
        ("elo", "game_id,played_at,player,scroe",
         "lacks score (or place); it is: game_id, played_at, player, scroe. Is “scroe” a misspelling?"),
        ("durak", "game_id,played_at,player,score", "lacks place; it is: game_id, played_at, player, score."),
        ("preferans", "game_id,played_at,player,score", "lacks bula; it is: game_id, played_at, player, score."),
        ("elo", "Game,played_at,player,score",
         "lacks game_id; it is: Game, played_at, player, score. Is “Game” a misspelling?"),
    ],
)  # fmt: skip
def test_the_header_must_hold_what_the_system_needs(system: str, header: str, sentence: str) -> None:
    with pytest.raises(Invalid) as caught:
        run(make_league(system), header + "\n1,2024-03-05,anna,1,1\n")
    assert caught.value.detail == f"Nothing was imported. Line 1: the header {sentence}"


def test_a_column_that_no_system_needs_may_have_any_name_and_an_alias_is_the_player_it_means() -> None:
    league = make_league()
    text = "mood,place,player,played_at,game_id,scroe\n,1,anna,2024-03-05,1,7\n,2,ben,2024-03-05,1,4\n"
    assert run(league, text).ignored == ("mood", "scroe")
    assert list(Result.objects.values_list("player__handle", "score", "place")) == [("anna", None, 1), ("ben", None, 2)]
    text = "game_id,played_at,player,score\n2,2024-03-05,ANNA,-0\n2,2024-03-05,Ben ,1\n"
    assert run(league, text, create_players=True).created_players == 0
    assert Result.objects.filter(player__handle="anna").count() == 2
    assert str(Result.objects.get(game__number=2, seat=1).score) == "0.0", "no negative nothing gets into the books"


def test_a_bula_of_nothing_is_refused_at_the_first_line_of_its_game() -> None:
    lines = [f"7,2024-03-05,{player},{score},0\n" for player, score in (("anna", -500), ("ben", 40), ("cleo", 460))]
    with pytest.raises(BadFile) as caught:
        run(make_league("preferans"), "game_id,played_at,player,score,bula\n\n" + "".join(lines))
    assert [(one.pointer, one.detail) for one in caught.value.problems] == [
        ("/lines/3/bula", "Line 3: game 7: Bula must be at least 0.01; it is 0.")
    ]


def test_every_bad_line_of_a_file_is_named_with_its_column() -> None:
    text = (
        "game_id,played_at,player,score\n"
        "1,2024-03-05,anna,1\n1,2024-03-05,ben,x\n"
        "2,05/03/2024,anna,1\n2,05/03/2024,ben,0\n"
        "3,2024-03-05,anna,\n3,2024-03-05,ben,nan\n"
        "4,0001-01-01,anna,1\n4,0001-01-01,ben,0\n"
    )
    with pytest.raises(BadFile) as caught:
        run(make_league(time_zone="Asia/Tokyo"), text)
    assert [one.pointer for one in caught.value.problems] == [
        "/lines/3/score", "/lines/4/played_at", "/lines/7/score", "/lines/8/played_at",
    ]  # fmt: skip


def test_an_unknown_player_is_named_once_at_the_first_line() -> None:
    text = "game_id,played_at,player,score\n" + "".join(
        f"{game},2024-03-05,anna,1\n{game},2024-03-05,zoe,0\n" for game in range(5)
    )
    with pytest.raises(BadFile) as caught:
        run(make_league(), text)
    assert [one.detail for one in caught.value.problems] == ["Line 3: no player is called “zoe”."]


UNNAMEABLE = "Line 3: “{name}” cannot be added as a player: {reason}"


@pytest.mark.parametrize(
    ("name", "shown", "reason"),
    [
        ("zo\u200be", "zo\\u200be", "A name must not contain control or invisible characters."),
        ("z" * 121, f"{'z' * 60}…", "A name has at most 120 characters; this one has 121."),
        ("\ufdfa" * 100, f"{chr(0xFDFA) * 60}…", "A name must not consist of symbols that stand for whole words."),
    ],
)
def test_a_name_that_cannot_be_one_is_refused_with_its_line(name: str, shown: str, reason: str) -> None:
    league = make_league()
    with pytest.raises(BadFile) as caught:
        run(
            league,
            f"game_id,played_at,player,score\n1,2024-03-05,anna,1\n1,2024-03-05,{name},0\n1,2024-03-05,zoe,0\n",
            create_players=True,
        )
    assert [one.detail for one in caught.value.problems] == [UNNAMEABLE.format(name=shown, reason=reason)]
    assert not Player.objects.filter(handle="zoe").exists()


def test_a_file_may_come_through_a_pipe() -> None:
    league = make_league()
    packed = gzip.compress(b"game_id,played_at,player,score\n1,2024-03-05,anna,1\n1,2024-03-05,ben,0\n")
    reading, writing = os.pipe()

    def write() -> None:
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(packed)

    writer = threading.Thread(target=write)
    writer.start()
    with os.fdopen(reading, "rb") as pipe:
        assert import_games(league.pk, pipe, ImportOptions(by="test")).games == 1
    writer.join()


@pytest.mark.parametrize("packed", [True, False])
def test_a_file_of_more_bytes_than_may_be_is_refused_however_it_is_packed(
    packed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 1000)
    text = b"game_id,played_at,player,score\n" + b"1,2024-03-05,anna,1\n" * 200
    with pytest.raises(Invalid, match=r"^Nothing was imported. The file is larger than 1,000 bytes; import it in"):
        run(make_league(), gzip.compress(text) if packed else text)
    assert Game.objects.count() == 0


@long_way
def test_progress_is_told_on_the_way() -> None:
    league = make_league()
    told: list[tuple[str, int, int]] = []
    lines = [f"{game},2024-03-05,{player},{game % 3}\n" for game in range(2600) for player in ("anna", "ben")]
    run(league, "game_id,played_at,player,score\n" + "".join(lines), progress=lambda *step: told.append(step))
    assert told == [
        ("reading", 5000, 0), ("checking", 2000, 2600), ("writing", 2600, 2600),
        ("rating", 0, 2600), ("rating", 2600, 2600),
    ]  # fmt: skip


@pytest.mark.slow("Starts processes.")
def test_the_command_says_how_many_problems_it_did_not_name_and_how_to_add_players(tmp_path: Any) -> None:
    make_league()
    path = tmp_path / "games.csv"
    lines = [f"{game},2024-03-05,anna,1\n{game},2024-03-05,new-{game},0\n" for game in range(101)]
    path.write_text("game_id,played_at,player,score\n" + "".join(lines))
    with pytest.raises(CommandError) as caught:
        call_command("import_games", "club", str(path))
    told = str(caught.value).split("\n")
    assert told[:2] == ["Nothing was imported.", "Line 3: no player is called “new-0”."]
    assert told[100:] == [
        "Line 201: no player is called “new-99”.",
        "And 1 more problem.",
        "With --create-players, players who are not known are added.",
    ]


def test_games_that_were_read_for_a_league_without_a_rule_are_refused() -> None:
    make_league()
    bare = create_league("bare", "Bare")
    read = ReadFile([ReadGame(sheet(("anna", "ben"), (1, 0), external_id="a"), (2, 3))], ())
    with pytest.raises(BadFile, match="Line 2: game a: The league has no rule yet"):
        import_parsed_games(bare.pk, read, ImportOptions(by="test"))
    assert Game.objects.count() == 0


class Terminal(StringIO):
    """A stream that somebody watches."""

    def isatty(self) -> bool:
        return True


def test_there_is_a_bar_for_each_stage_on_a_terminal_and_a_line_elsewhere() -> None:
    watched, unwatched = Terminal(), StringIO()
    for stream in (watched, unwatched):
        with Bars(stream, "Club") as progress:
            progress("reading", 5, 10)
            progress("reading", 10, 10)
            progress("rating", 3, 3)
    assert "Club reading: 100%" in watched.getvalue()
    assert "Club rating: 100%" in watched.getvalue()
    assert unwatched.getvalue() == "Club reading …\nClub rating …\n"


def test_the_commands_add_players_where_asked_and_keep_the_ratings(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    make_league()
    path = tmp_path / "games.csv"
    path.write_text("game_id,played_at,player,score\n1,2024-03-05,anna,1\n1,2024-03-05,zoe,0\n")
    call_command("import_games", "club", str(path), "--create-players")
    assert "1 player added; 1 game rated;" in capsys.readouterr().out
    path.write_text("game_id,played_at,player,score\n2,2024-03-05,anna,x\n2,2024-03-05,zoe,0\n")
    with pytest.raises(CommandError, match=r"^Nothing was imported.\nLine 2: the score “x” is not a number.$"):
        call_command("import_games", "club", str(path), "--create-players")
    call_command("replay", "club")
    assert capsys.readouterr().out.startswith("Replayed 1 game of Club in ")
    with pytest.raises(CommandError, match="There is no league “none”"):
        call_command("replay", "none")
