"""Lines of JSON on their way into columns: what is wrong with one is told at its line, and where in the game."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from io import BytesIO
from types import MappingProxyType
from typing import Any

import pytest

from league.apps.imports.services.read_ndjson import read_ndjson
from league.apps.imports.services.run import ImportOptions, import_games
from league.core.errors import BadFile, Invalid
from league.core.games.services.game_columns import GameColumns
from league.core.jobs.services.progress import ignore_progress
from league.models import Game, League, Result, Rule
from tests.helpers.builders import make_league

ZONE = "Europe/Belgrade"
NOW = datetime(2024, 3, 6, tzinfo=UTC)


def file_of(count: int, replaced: Mapping[int, Mapping[str, str]] = MappingProxyType({})) -> bytes:
    """Return a file of games between two players, some of its lines replaced."""
    lines = []
    for number in range(count):
        results = f'[{{"player": "anna", "score": {number % 3}}}, {{"player": "ben", "score": 1}}]'
        line = (
            f'{{"external_id": "g{number}", "played_at": "2024-03-05T19:{number % 60:02}:00Z", "results": {results}}}'
        )
        for old, new in replaced.get(number, {}).items():
            line = line.replace(old, new)
        lines.append(line)
    return "\n".join(lines).encode()


def read(file: bytes) -> GameColumns:
    """Read and check a file."""
    start = datetime(2020, 1, 1, tzinfo=UTC)
    rules = [Rule(system="elo", parameters={}, starts_at=start, from_date=start.date())]
    return GameColumns.of(League(), read_ndjson(BytesIO(file), ZONE, ignore_progress), rules, NOW, ignore_progress)


@pytest.mark.engine
@pytest.mark.django_db
def test_strange_games_among_usual_ones_are_recorded_as_they_are() -> None:
    league = make_league()
    file = file_of(
        100,
        {
            3: {'"anna"': r'"\u0061nna"'},
            20: {"}]": '}], "kind": "forfeit"'},
            33: {'"g33"': '"g32"', ":33:": ":32:", '"score": 0': '"score": 2'},
            50: {'"g50"': "null"},
            70: {'"anna"': '"Anna"'},
            71: {"}]": '}], "note": " late "'},
            90: {'"score": 1}': '"score": 1.0, "place": null}'},
            91: {'"anna"': '"anna", "side": 7', '"ben"': '"ben", "side": 1'},
        },
    )
    report = import_games(league.pk, BytesIO(file), ImportOptions(by="test", media="ndjson"))
    assert (report.games, report.known, Game.objects.filter(kind="forfeit").count()) == (99, 1, 1)
    assert list(Game.objects.exclude(note="").values_list("external_id", "note")) == [("g71", "late")]
    assert Game.objects.filter(external_id=None).count() == 1
    assert Result.objects.filter(player__handle="anna").count() == 99
    sides = Result.objects.filter(game__external_id="g91").order_by("seat")
    assert list(sides.values_list("player__handle", "side")) == [("anna", 7), ("ben", 1)]


WRONG = {
    5: {'"score": 1}': '"score": 1e10}'},
    17: {"2024-03": "2124-03"},
    18: {"2024-03": "1024-03"},
    30: {'"g30"': '"g29"'},
    40: {'"g40"': '"' + "g" * 201 + '"'},
    60: {"}]": '}], "note": "' + "n" * 501 + '"'},
    61: {"}]": '}], "details": {"bula": 1}'},
    62: {"}]": '}], "kind": "half_bye"'},
    80: {', {"player": "ben", "score": 1}': ""},
}


def test_what_the_rules_refuse_is_told_at_each_line() -> None:
    problems = read(file_of(100, WRONG)).refused.problems
    assert [(problem.line, problem.pointer.partition("/lines/")[2], problem.code) for problem in problems] == [
        (6, "6/results/1/score", "out_of_bounds"),
        (18, "18/played_at", "future"),
        (19, "19/played_at", "before_the_league"),
        (31, "31/external_id", "conflict"),
        (41, "41/external_id", "too_long"),
        (61, "61/note", "too_long"),
        (62, "62/details/bula", "unknown_field"),
        (63, "63/results", "players"),
        (81, "81/results", "players"),
    ]
    with pytest.raises(BadFile) as caught:
        read(file_of(100, {**WRONG, 2: {"{": "["}}))
    assert [problem.line for problem in caught.value.problems] == [3], "where lines cannot be read only these are told"
    again = {name: read(file_of(65, {64: {'"g64"': name}})) for name in ('"g4"', '"g5"')}
    told = [(games.repeated, [problem.line for problem in games.refused.problems]) for games in again.values()]
    assert told == [(1, []), (0, [65])], "a game that stood in the file before is known or in conflict"


def test_a_byte_order_mark_is_named_but_at_the_head_of_a_file() -> None:
    whole = file_of(3, {})
    assert len(read(b"\xef\xbb\xbf" + whole)) == 3
    with pytest.raises(BadFile, match=r"Unexpected UTF-8 BOM .* at column 1"):
        read(whole.rstrip(b"\n") + b"\n\xef\xbb\xbf" + whole)


@pytest.mark.parametrize(("more", "where"), [({"more": 1}, "more"), ({"results": [{"more": 1}]}, "results/0/more")])
def test_a_field_that_there_is_not_is_named_beside_all_that_there_are(more: dict[str, Any], where: str) -> None:
    line = {"player": "anna", "score": 1, "place": 1, "side": 1, "worksheet": None}
    game = {"external_id": "g", "played_at": "2024-03-05", "kind": "played", "details": {}, "note": "", "weight": 1}
    results = [{**line, **one} for one in more.pop("results", [{}])]
    with pytest.raises(Invalid) as caught:
        read(json.dumps({**game, **more, "results": results}).encode())
    (problem,) = caught.value.problems
    assert (problem.pointer, problem.code) == (f"/lines/1/{where}", "unknown")
