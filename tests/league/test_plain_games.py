"""Reading many lines at once gives what reading each of them strictly gives, and refuses to guess."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from league.models import Game, Rule
from league.services.imports import columns
from league.services.imports import read_ndjson as ndjson_games
from league.services.imports.columns import Batch
from league.services.imports.fast import read_plain
from league.services.imports.files import BadFile, Block, Problems, ReadFile, ReadGame
from league.services.imports.read_ndjson import MARK, OneLine, read_ndjson
from league.services.imports.run import import_games
from league.services.recording.game_input import NewGame, NewResult
from ratings.contract.bulk_check import Sheets, accepts
from ratings.contract.system import RatingSystem, Sheet
from ratings.registry import all_systems
from tests.helpers.builders import derived, make_league

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
    '"2024-03-05T19:30:00+14:00"',
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
        draw(objects({"player": f'"{name}"', "score": str(draw(st.integers(-5, 5))), "place": "null"}))
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
    read = read_ndjson(BytesIO(MARK + b"".join(lines) + PLAIN.encode()), ZONE, lambda *_: None)
    found = [game for entry in read.games for game in (entry.games() if isinstance(entry, Block) else [entry])]
    assert alike(found[:-1]) == alike(games)
    assert read.problems.problems == problems.problems


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN + "\r\n",
        PLAIN.replace("3}", '-2.5, "place": null}'),
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


SYSTEMS: list[RatingSystem] = [
    *(system() for system in all_systems().values()),
    all_systems()["barbu"](demand_total="yes"),
]
PLACES = (None, 1, 2, 3, 4, 5)
VALUES = (None, 0.0, 5.0, 5.0, -5.0, 1e9, -1e9, 1.1e9)


@given(
    system=st.sampled_from(SYSTEMS),
    drawn=st.lists(
        st.tuples(
            st.lists(st.tuples(st.sampled_from(VALUES), st.sampled_from(PLACES)), min_size=1, max_size=5),
            st.sampled_from(({}, {"bula": 30.0}, {"bula": 0.0}, {"bala": 30.0}, {"bula": 30.0, "bala": 1.0})),
        ),
        min_size=0, max_size=3,
    ),
)  # fmt: skip
def test_sheets_that_are_accepted_together_are_refused_by_no_check(system: RatingSystem, drawn: list[Any]) -> None:
    results = [line for lines, _ in drawn for line in lines]
    sheets = Sheets(
        np.array([len(lines) for lines, _ in drawn], dtype=np.int64),
        np.array([np.nan if score is None else score for score, _ in results], dtype=np.float64),
        np.array([place or 0 for _, place in results], dtype=np.int64),
        [fields for _, fields in drawn],
    )
    if accepts(system, sheets):
        for lines, fields in drawn:
            assert system.check(Sheet([one for one, _ in lines], [two for _, two in lines], fields)) == []


@pytest.mark.parametrize(
    ("system", "lines", "fields"),
    [
        ("elo", [(3.0, None), (1.0, None)], {}),
        ("elo", [(None, 1), (None, 1)], {}),
        ("durak", [(None, 3), (None, 1), (None, 2)], {}),
        ("barbu", [(3.0, 1), (1.0, 2), (0.0, 3), (0.0, 3)], {}),
        ("serpentine", [(3.0, None), (0.0, None)], {}),
        ("preferans", [(3.0, None), (1.0, None), (0.0, None)], {"bula": 30.0}),
    ],
)
def test_usual_sheets_are_accepted_together(system: str, lines: list[Any], fields: dict[str, float]) -> None:
    scores = np.array([np.nan if score is None else score for score, _ in lines] * 2)
    places = np.array([place or 0 for _, place in lines] * 2)
    assert accepts(all_systems()[system](), Sheets(np.array([len(lines)] * 2), scores, places, [fields] * 2))


def file_of(count: int, **other: dict[int, str]) -> bytes:
    """Return a file of games between two players, some of its lines replaced."""
    lines = []
    for number in range(count):
        results = f'[{{"player": "anna", "score": {number % 3}}}, {{"player": "ben", "score": 1}}]'
        line = (
            f'{{"external_id": "g{number}", "played_at": "2024-03-05T19:{number % 60:02}:00Z", "results": {results}}}'
        )
        for old, new in other.get("replaced", {}).get(number, {}).items():
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
}


@pytest.mark.django_db
def test_games_that_are_checked_at_once_are_recorded_as_those_that_are_checked_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, other = make_league(slug="one"), make_league(slug="other")
    file = file_of(100, replaced=REPLACED)
    report = import_games(one.pk, BytesIO(file), by="test", media="ndjson")
    monkeypatch.setattr(ndjson_games, "read_plain", lambda *_: None)
    assert import_games(other.pk, BytesIO(file), by="test", media="ndjson") == report
    assert derived(one) == derived(other)
    one.refresh_from_db()
    other.refresh_from_db()
    facts = ("number", "played_at", "kind", "external_id", "details", "note")
    assert list(one.games.values(*facts)) == list(other.games.values(*facts))
    payloads = [list(league.log.values_list("kind", "payload"))[:-2] for league in (one, other)]
    assert payloads[0] == payloads[1]
    assert (report.games, Game.objects.filter(league=one, kind="forfeit").count()) == (99, 1)


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


def checked(read: ReadFile) -> tuple[Any, ...]:
    """Check games against a rule of Elo; returns what is refused, and what is kept."""
    rule = Rule(
        system="elo",
        parameters={},
        starts_at=datetime(2020, 1, 1, tzinfo=UTC),
        from_date=datetime(2020, 1, 1, tzinfo=UTC),
    )
    later = Rule(
        system="elo", parameters={"k": 10}, starts_at=datetime(2024, 3, 5, 19, 30, tzinfo=UTC), from_date=rule.from_date
    )
    games = Batch([rule, later], datetime(2024, 3, 6, tzinfo=UTC))
    games.take(read, lambda *_: None)
    return games.refused.problems, games.external_ids, games.names, games.named_on, games.index, list(games.offsets)


def test_what_is_refused_at_once_is_refused_with_the_words_of_one_by_one() -> None:
    file = file_of(100, replaced=WRONG)
    together = checked(read_ndjson(BytesIO(file), ZONE, lambda *_: None))
    single = checked(ReadFile(strictly(file.splitlines())[0], ()))
    assert together == single
    assert {problem.line for problem in together[0]} == {number + 1 for number in WRONG}


def test_where_lines_cannot_be_read_only_these_are_told() -> None:
    file = file_of(100, replaced={**WRONG, 2: {"{": "["}})
    with pytest.raises(BadFile) as caught:
        checked(read_ndjson(BytesIO(file), ZONE, lambda *_: None))
    assert [problem.line for problem in caught.value.problems] == [3]


def test_a_block_in_parts_is_the_same_games() -> None:
    block = read_plain(file_of(10).splitlines(keepends=True), 1, ZONE)
    assert block is not None
    parts = [*block.part(0, 3).games(), *block.part(3, 10).games()]
    assert parts == list(block.games())
    assert parts[4] == ReadGame(
        NewGame(
            [NewResult("anna", 1.0), NewResult("ben", 1.0)],
            datetime(2024, 3, 5, 19, tzinfo=UTC) + timedelta(minutes=4),
            "g4",
        ),
        (5, 5),
        whole=True,
    )


def test_long_lines_are_read_in_smaller_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ndjson_games, "AT_ONCE_BYTES", 300)
    groups = list(ndjson_games.grouped(iter([b"x" * 200] * 5)))
    assert list(map(len, groups)) == [2, 2, 1]
    assert columns.FEW < ndjson_games.AT_ONCE
