"""The fast way of imports against its specification, the strict way: the same games, the same refusals.

Each strange value stands once at each place of a usual game, each strange text once around one: what is drawn
beyond that (hypothesis) puts several of them together.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from league.errors import Invalid
from league.models import Game, Result, Rule
from league.services.imports import read_ndjson as ndjson_games
from league.services.imports import run
from league.services.imports.columns import Batch
from league.services.imports.fast import fast_reader
from league.services.imports.fast.lines import read_plain
from league.services.imports.files import Block, Fast, Problems, ReadGame, never
from league.services.imports.read_ndjson import MARK, OneLine, read_ndjson
from league.services.imports.run import ImportOptions, import_games
from league.services.jobs.progress import silent
from league.services.recording.game_input import NewGame, NewResult
from tests.helpers.builders import all_said, derived, make_league

pytestmark = pytest.mark.engine


ZONE = "Europe/Belgrade"
PLAIN = '{"external_id": "g1", "played_at": "2024-03-05T19:30:00Z", "results": [{"player": "anna", "score": 3}]}'
#: What a value may be replaced by: numbers of every kind, and what is none.
TOKENS = (
    "1", "2", "0", "-0", "-0.0", "1.0", "2.0", "2.5", "1e2", "1E400", "-1e-400", "01", "1.", ".5", "+1", "NaN",
    "Infinity", "-Infinity", "true", "false", "null", '"1"', '""', '" "',
    "[]", "{}", '["a"]', '{"a":1}', '{"a":1,"a":2}',
    '{"b":{"a":1}}', '{"b":true}', '{"b":-0.0}', '{"b":NaN}',
    "9" * 30, "9" * 41, "1" * 5000, "1000000001", "-1000000000.5",
    "[" * 30 + "]" * 30, r'"\u0000"', r'"\ud800"', r'"\ud83d\ude00"', r'"\u00e9"', r'"\u0022"', r'"\\u0041"', r'"\""',
    r'"\n"', r'"\x"', '"é"', '"a\tb"', '"a\x00b"', '" anna "', '"2024-03-05"', '"2024-03-05T19:30:00"',
    '"2024-03-05T19:30:00+14:00"', '"9998-01-01T00:00:00Z"', '"0001-12-31T00:00:00Z"',
    '"0001-01-01"', '"2024-W10-2T00:00Z"', '"played"', '" played "', '"forfeit"', '"\ufeff"',
    '"\u2028"',
)  # fmt: skip
KEYS = (
    "external_id",
    "played_at",
    "kind",
    "results",
    "details",
    "note",
    "Note",
    r"no\u0074e",
    "player",
    "score",
    "place",
    "side",
)
WHOLE = (
    "", " ", "\x0b", "null",
    "[]", "{}", "{", PLAIN + ",", PLAIN + PLAIN, PLAIN + "," + PLAIN, PLAIN + "\r", "\t" + PLAIN,
    PLAIN + " \t", PLAIN + "\x0b", PLAIN[:-1], "\ufeff" + PLAIN, PLAIN.replace("anna", "a\x01"),
    PLAIN.replace(":", "\x0b:"),
)  # fmt: skip


@st.composite
def objects(draw: st.DrawFn, known: dict[str, str], extra: tuple[str, ...] = KEYS) -> str:
    """Draw a JSON object: mostly what is usual, with keys left out, repeated, unknown, and strange values."""
    pairs = [(key, value) for key, value in known.items() if draw(st.integers(0, 9))]
    for _ in range(draw(st.sampled_from((0, 0, 0, 1, 2)))):
        pairs.append((draw(st.sampled_from(extra)), draw(st.sampled_from(TOKENS))))
    return "{" + ",".join(f'"{key}":{value}' for key, value in draw(st.permutations(pairs))) + "}"


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Draw a line of a file."""
    if not draw(st.integers(0, 5)):
        return draw(st.sampled_from(WHOLE))
    results = [
        draw(
            objects(
                {
                    "player": f'"{name}"',
                    "score": str(draw(st.integers(-5, 5))),
                    "place": "null",
                    "side": draw(st.sampled_from(("null", "1", "2"))),
                }
            )
        )
        for name in ("anna", "ben", "cleo")[: draw(st.integers(1, 3))]
    ]
    known = {
        "external_id": '"g1"',
        "played_at": '"2024-03-05T19:30:00Z"', "results": f"[{','.join(results)}]", "note": '" hm "',
        "details": draw(st.sampled_from(("{}", "null", '{"bula": 30}', '{"bula": -0.0}'))),
    }  # fmt: skip
    return draw(objects(known))


def strictly(lines: list[bytes]) -> tuple[list[ReadGame], Problems]:
    """Read lines one by one."""
    problems, games = Problems(), []
    for line, data in enumerate(lines, start=1):
        new = OneLine(line, ZONE, problems).game(data) if data.strip() else None
        if new is not None:
            games.append(ReadGame(new, (line,) * len(new.results), whole=True))
    return games, problems


def alike(games: list[ReadGame]) -> list[Any]:
    """Return all that is said of games, the types and signs of numbers, too."""
    return [
        (repr(replace(one.game, kind=str(one.game.kind))), one.lines, one.whole, json.dumps(one.game.details))
        for one in games
    ]


@given(drawn=st.lists(texts(), min_size=1, max_size=3), crlf=st.booleans())
@example(drawn=[PLAIN.replace("3}", "3,"), PLAIN[1:], PLAIN + "," + PLAIN], crlf=False)
@example(drawn=['{"played_at": "2024-03-05", "results": [{"player": "anna"}', '{"player": "ben"}]}'], crlf=False)
def test_what_is_read_at_once_is_what_each_line_says_and_the_rest_is_read_strictly(
    drawn: list[str], crlf: bool
) -> None:
    lines = [line.encode() + (b"\r\n" if crlf else b"\n") for text in drawn for line in text.split("\n")]
    games, problems = strictly(lines)
    block = read_plain(lines, 1, ZONE)
    if block is not None:
        assert problems.count == 0 and len(block) == len(lines)
        assert alike(list(block.games())) == alike(games)
    file = BytesIO(MARK + b"".join(lines) + PLAIN.encode())
    read = read_ndjson(file, ZONE, silent, lambda some, first: read_plain(some, first, ZONE))
    found = [game for entry in read.games for game in (entry.games() if isinstance(entry, Block) else [entry])]
    assert alike(found[:-1]) == alike(games)
    assert read.problems.problems == problems.problems


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN + "\r\n",
        PLAIN.replace("3}", '-2.5, "place": null}'),
        PLAIN.replace("3}", '3, "side": 2}, {"player": "ben", "score": 3, "side": 2}'),
        PLAIN.replace("anna", "Zoë"),
        PLAIN.replace("anna", r"Zo\u00eb"),
        PLAIN.replace("}]", '}], "details": {"bula": 30}, "kind": "played", "note": "late"'),
        PLAIN.replace("2024-03-05T19:30:00Z", "2024-03-05"),
    ],
)
def test_usual_lines_are_plain(text: str) -> None:
    block = read_plain([text.encode()], 7, ZONE)
    assert block is not None
    assert alike(list(block.games())) == alike(
        [ReadGame(one.game, (7,) * len(one.lines), whole=True) for one in strictly([text.encode()])[0]]
    )


@pytest.mark.parametrize(
    "data",
    [b"\xff", PLAIN.encode().replace(b"anna", b"\xed\xa0\x80"), PLAIN.encode().replace(b'"g1"', b'"g1", "note": 1')],
)
def test_what_is_no_utf_8_or_has_another_type_is_not_plain(data: bytes) -> None:
    assert read_plain([data], 1, ZONE) is None


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


REPLACED: dict[int, dict[str, str]] = {
    3: {'"anna"': r'"\u0061nna"'},
    20: {"}]": '}], "kind": "forfeit"'},
    33: {'"g33"': '"g32"', ":33:": ":32:", '"score": 0': '"score": 2'},
    50: {'"g50"': "null"},
    70: {'"anna"': '"Anna"'},
    71: {"}]": '}], "note": "late"'},
    90: {'"score": 1}': '"score": 1.0, "place": null}'},
    91: {'"anna"': '"anna", "side": 7', '"ben"': '"ben", "side": 1'},
}


@pytest.mark.django_db
def test_games_that_are_checked_at_once_are_recorded_as_those_that_are_checked_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, other = make_league(slug="one"), make_league(slug="other")
    file = file_of(100, replaced=REPLACED)
    report = import_games(one.pk, BytesIO(file), ImportOptions(by="test", media="ndjson"))
    monkeypatch.setattr(run, "fast_reader", lambda *_: never)
    assert import_games(other.pk, BytesIO(file), ImportOptions(by="test", media="ndjson")) == report
    assert derived(one) == derived(other)
    one.refresh_from_db()
    other.refresh_from_db()
    facts = ("number", "played_at", "kind", "external_id", "details", "note")
    assert list(one.games.values(*facts)) == list(other.games.values(*facts))
    assert all_said(one)[2:] == all_said(other)[2:]
    assert (report.games, Game.objects.filter(league=one, kind="forfeit").count()) == (99, 1)
    sides = Result.objects.filter(game__league=one, game__external_id="g91").order_by("seat")
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


NOW = datetime(2024, 3, 6, tzinfo=UTC)


def rules_for(system: str, *parameters: dict[str, Any]) -> list[Rule]:
    """Return rules of a system, the second one from a time within the file on."""
    times = datetime(2020, 1, 1, tzinfo=UTC), datetime(2024, 3, 5, 19, 30, tzinfo=UTC)
    return [
        Rule(system=system, parameters=one, starts_at=at, from_date=at.date())
        for one, at in zip(parameters or ({},), times, strict=False)
    ]


def outcome(file: bytes, rules: list[Rule], fast: Fast) -> dict[str, Any]:
    """Read and check a file; returns everything that is kept of it, or what is wrong with its lines."""
    try:
        games = Batch.of(read_ndjson(BytesIO(file), ZONE, silent, fast), rules, NOW, silent)
    except Invalid as error:
        return {"detail": error.detail, "problems": error.problems}
    kept = {name: value for name, value in vars(games).items() if name not in {"rules", "refused", "scores"}}
    # As they are written: not-a-number equals itself then, and a zero without sign no other.
    written = repr(games.scores.tolist()), json.dumps(games.details)
    return {**kept, "refused": games.refused.problems, "written": written}


def assert_same(file: bytes, rules: list[Rule]) -> None:
    """Hold the fast way to the strict one."""
    assert outcome(file, rules, fast_reader(ZONE, rules, NOW)) == outcome(file, rules, never)


def test_what_is_refused_at_once_is_refused_with_the_words_of_one_by_one() -> None:
    file, rules = file_of(100, replaced=WRONG), rules_for("elo", {}, {"k": 10})
    assert_same(file, rules)
    refused = outcome(file, rules, fast_reader(ZONE, rules, NOW))["refused"]
    assert {problem.line for problem in refused} == {number + 1 for number in WRONG}


def test_a_name_that_stood_in_lines_read_before_is_found() -> None:
    count = ndjson_games.AT_ONCE + 3
    again = {count - 2: {f'"g{count - 2}"': '"g6"'}, count - 1: {f'"g{count - 1}"': '"g4"'}}
    again[count - 1] |= {f":{(count - 1) % 60:02}:": ":04:", f'"score": {(count - 1) % 3}}}': '"score": 1}'}
    file, rules = file_of(count, replaced=again), rules_for("elo")
    assert_same(file, rules)
    found = outcome(file, rules, fast_reader(ZONE, rules, NOW))
    assert (found["repeated"], [problem.line for problem in found["refused"]]) == (1, [count - 1])


def test_where_lines_cannot_be_read_only_these_are_told() -> None:
    file, rules = file_of(100, replaced={**WRONG, 2: {"{": "["}}), rules_for("elo")
    assert_same(file, rules)
    assert [problem.line for problem in outcome(file, rules, never)["problems"]] == [3]


def test_a_block_is_its_games() -> None:
    block = read_plain(file_of(10).splitlines(keepends=True), 1, ZONE)
    assert block is not None
    assert list(block.games())[4] == ReadGame(
        NewGame(
            [NewResult("anna", 1.0), NewResult("ben", 1.0)],
            datetime(2024, 3, 5, 19, tzinfo=UTC) + timedelta(minutes=4),
            "g4",
        ),
        (5, 5),
        whole=True,
    )


#: A usual game of a system: its game fields, each result, and what else a line may say.
USUAL: dict[str, tuple[dict[str, str], list[dict[str, str]]]] = {
    "elo": ({}, [{"score": "3"}, {"score": "1"}]),
    "durak": ({}, [{"place": "2"}, {"place": "1"}, {"place": "3"}]),
    "preferans": ({"bula": "30"}, [{"score": "3"}, {"score": "-5"}, {"score": "0"}]),
}
#: What may stand before and after a line, or between its parts.
AROUND = (
    " ", "\t", "\r", "\x0b", "\x0c", "\x00", "\x85", "\xa0", "\u2028", "\ufeff", ",", "}", "]", '"', '""', "x", "0",
    "{}", "[]", "null", " 1", "\t{", "\n", "\n\n", "\r\n", "#", "//",
)  # fmt: skip


def line_of(system: str, changed: tuple[str, ...] = (), value: str | None = None) -> str:
    """Return a usual game as a line; at one place of it another value stands, or (None) nothing."""
    details, results = USUAL[system]

    def written(pairs: dict[str, str], *where: str) -> str:
        pairs = dict(pairs)
        if changed[:-1] == where and changed:
            pairs.pop(changed[-1], None)
            if value is not None:
                pairs[changed[-1]] = value
        return "{" + ", ".join(f'"{key}": {one}' for key, one in pairs.items()) + "}"

    lines = [written({"player": f'"p{seat}"', **result}, "results", str(seat)) for seat, result in enumerate(results)]
    whole = {
        "external_id": '"g1"', "played_at": '"2024-03-05T19:30:00Z"', "results": f"[{', '.join(lines)}]",
        "details": written(details, "details"), "note": '"hm"', "kind": '"played"',
    }  # fmt: skip
    return written(whole)


def places(system: str) -> list[tuple[str, ...]]:
    """Return where a value stands, or may not stand, in a game of a system."""
    seats = range(len(USUAL[system][1]))
    keys = ("player", "score", "place", "worksheet", "Score", "note")
    return [
        *((key,) for key in (*KEYS, "worksheet")),
        *(("details", key) for key in ("bula", "Bula", "bala", "worksheet")),
        *(("results", str(seat), key) for seat in seats for key in keys),
    ]


@pytest.mark.parametrize("system", USUAL)
def test_the_usual_game_goes_the_fast_way(system: str) -> None:
    rules, line = rules_for(system), line_of(system).encode()
    block = fast_reader(ZONE, rules, NOW)([line], 1)
    assert block is not None and len(block) == 1
    assert outcome(line, rules, never)["refused"] == []
    assert_same(line + b"\n" + line + b"\n" + line.replace(b"g1", b"g2"), rules)


@pytest.mark.parametrize("system", USUAL)
@pytest.mark.slow("Every odd value at every place; the common refusals are test_one_code.py's.")
def test_each_value_at_each_place_of_a_game_is_as_the_strict_way_has_it(system: str) -> None:
    rules, last = rules_for(system), "\n" + line_of(system).replace('"g1"', '"g2"')
    for place in places(system):
        for value in (None, *TOKENS):
            assert_same((line_of(system, place, value) + last).encode(), rules)


@pytest.mark.parametrize("system", USUAL)
@pytest.mark.slow("Every odd value at every place; the common refusals are test_one_code.py's.")
def test_each_text_around_a_game_is_as_the_strict_way_has_it(system: str) -> None:
    rules, line = rules_for(system), line_of(system)
    for text in (*AROUND, *(one + two for one in AROUND for two in AROUND)):
        for odd in (text + line, line + text, line.replace(": ", ":" + text, 1), line[:-1] + text + "}"):
            assert_same(f"{odd}\n{line}".encode(), rules)
    for end in range(len(line)):
        assert_same(line[:end].encode(), rules)


LONG = '"' + "x" * 201 + '"'


@pytest.mark.parametrize("two", ['"2024-03-07T00:00:01Z"', '"2024-03-05T19:29:59Z"', '"2019-12-31"', '"2020-01-01"'])
@pytest.mark.parametrize("parameters", [({},), ({}, {"demand_total": "yes", "total": -2.0})])
def test_times_and_rules_and_lengths_are_as_the_strict_way_has_them(two: str, parameters: tuple[Any, ...]) -> None:
    rules = rules_for("preferans", *parameters)
    first = line_of("preferans").replace('"g1"', '"g0"')
    for place, value in [(("played_at",), two), (("external_id",), LONG), (("note",), LONG)]:
        assert_same(f"{first}\n{line_of('preferans', place, value)}".encode(), rules)
    assert_same(f"{first}\n{line_of('preferans', ('note',), LONG.replace('x', 'xyz'))}".encode(), rules)


def test_a_field_that_there_is_not_is_named_beside_all_that_there_are() -> None:
    plain = line_of("elo", ("more",), "1")
    (problem,) = outcome(plain.encode(), rules_for("elo"), never)["problems"]
    assert (problem.pointer, problem.code) == ("/lines/1/more", "unknown")
    result = '"player": "anna", "score": 1, "place": 1, "worksheet": null, "more": 1'
    line = line_of("elo", ("results",), "[{" + result + '}, {"player": "ben", "score": 0}]')
    (problem,) = outcome(line.encode(), rules_for("elo"), never)["problems"]
    assert (problem.pointer, problem.code) == ("/lines/1/results/0/more", "unknown")


def test_long_lines_are_read_in_smaller_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ndjson_games, "AT_ONCE_BYTES", 300)
    groups = list(ndjson_games.grouped(iter([b"x" * 200] * 5)))
    assert list(map(len, groups)) == [2, 2, 1]
