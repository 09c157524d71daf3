"""What every record, and the writer of games, must do: what is drawn comes back from logs, exports and restores.

Which fields a record has is in ``models/test_records.py``; ``verify/test_verify_every_field.py`` plants a fault in
each of them.
"""

import json
import random
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import models

from league.core.dispatch.sweep import replay_league
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.write_games import (
    Replacement,
    UnwrittenGame,
    build_results,
    build_row,
    normalize_sheet,
    void_games,
    write_games,
)
from league.core.locking import run_with_league_lock
from league.core.log_tables import LogTable
from league.core.record_checks import list_log_tables, list_records
from league.core.records import Member, Record
from league.core.transfer.services.reading import build_shape, get_field_reader, make_object_reader
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import Game, League, Player, Result
from tests.helpers.builders import FOUR, derived, league_of, make_league, said
from tests.helpers.every_fact import build_every_fact
from tests.helpers.restore_builders import Undone, export_of, lines_file
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

built = built_once(build_every_fact)

#: Records of which exports have lines, and tables whose payloads are readable rows of them.
OF_SITE = {table.record.model for table in list_log_tables() if table.of_site}
EXPORTED = [record for record in list_records() if record.model not in OF_SITE]
TABLES = [table for table in list_log_tables() if table.record in EXPORTED]
LETTERS = "aZ 0“”\"'\\\t\n\u2028é€🂡<&"
DRAWS = 20


def draw_value(chance: random.Random, field: Any) -> Any:
    """Return a value that a field can have."""
    if field.null and chance.random() < 0.2:
        return None
    text = "".join(chance.choices(LETTERS, k=chance.randint(0, min(field.max_length or 40, 40))))
    number = chance.choice([0, 1, 7, chance.randrange(2**31)])
    at = datetime(1950, 1, 1, tzinfo=UTC) + timedelta(microseconds=chance.randrange(4 * 10**15))
    drawn: dict[type[Any], Callable[[], Any]] = {
        models.BooleanField: lambda: chance.random() < 0.5,
        models.IntegerField: lambda: number,
        models.FloatField: lambda: chance.choice([0.0, 0.1, 1e-7, -1e9, chance.uniform(-1e4, 1e4)]),
        models.DateTimeField: lambda: at,
        models.DateField: lambda: date(1950, 1, 1) + timedelta(days=number % 50_000),
        models.BinaryField: lambda: chance.randbytes(9),
        models.JSONField: lambda: chance.choice([[], [text, number]]) if field.default is list else {text: number},
        models.Field: lambda: text,
    }
    return next(draw() for kind, draw in drawn.items() if isinstance(field, kind))


def draw_row(chance: random.Random, record: Record) -> Any:
    """Return a stored row of a record with other values in all fields of its own; it is not saved."""
    row = chance.choice(record.model._default_manager.order_by("pk"))
    for member in record.members.values():
        if len(member.path) == 1 and not member.fields[0].is_relation:
            setattr(row, member.path[0], draw_value(chance, member.fields[0]))
    return row


def read_back(values: Mapping[str, Any], members: Mapping[str, Member], omit: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of a JSON text of values, read by the types of their fields."""
    shape = {name: get_field_reader(one.fields[-1], is_nullable=one.is_nullable) for name, one in members.items()}
    read: dict[str, Any] = make_object_reader(shape)({**omit, **json.loads(json.dumps(values))})
    return read


def list_own_values(row: Any, members: Mapping[str, Member]) -> dict[str, Any]:
    """Return a row's values of members that are fields of its own."""
    return {name: getattr(row, one.path[0]) for name, one in members.items() if len(one.path) == 1}


@pytest.mark.parametrize("record", EXPORTED, ids=lambda record: record.model.__name__)
def test_a_drawn_row_is_read_from_its_line_as_it_was(record: Record) -> None:
    chance = random.Random(48)
    readers = build_shape(record).keys()
    assert readers == set(record.names)
    for _ in range(DRAWS):
        row = draw_row(chance, record)
        read = read_back(record.serialize(row), record.line, record.omit)
        own = list_own_values(row, record.line)
        assert {name: read[name] for name in own} == own


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.title)
def test_a_drawn_row_is_read_from_its_payload_as_it_was(table: LogTable) -> None:
    chance = random.Random(48)
    for _ in range(DRAWS):
        row = draw_row(chance, table.record)
        payload = table.build_payload(row)
        read = read_back(payload, table.payload, table.omit)
        own = list_own_values(row, table.payload)
        assert {name: read[name] for name in own} == own


@pytest.mark.parametrize("aliases", [True, False], ids=["an organiser's", "everyone's"])
def test_an_export_is_the_same_after_it_was_restored(aliases: bool) -> None:
    league = league_of()
    lines = export_of(league, aliases=aliases)
    kinds = {json.loads(line)["type"] for line in lines}
    assert {"rule", "adjustment", "ladder", "game", "period", "edition", "decision", "competition"} <= kinds
    again = restore_league(lines_file(lines), slug="again", known_players=True, by="root").league
    assert verify_league(again.pk).differences == []
    # The header, the league's line and the end tell of the restore, as do the last entries of its log.
    copied = export_of(again, aliases=aliases)
    assert [line for line in copied if not is_of_restore(line)] == [line for line in lines if not is_of_restore(line)]


def is_of_restore(text: str) -> bool:
    """Return whether a line of an export differs after a restore, which ``root`` did."""
    line = json.loads(text)
    return line["type"] in ("header", "league", "end") or (line["type"] == "entry" and line["entry"]["by"] == "root")


def draw_sheets(count: int) -> list[NewGame]:
    """Return sheets with all that a sheet can have."""
    chance, sheets = random.Random(48), []
    for number in range(count):
        names = chance.sample(FOUR, chance.choice([2, 2, 4]))
        scores = [chance.choice([0.0, -0.0, 0.5, 41.25]) for _ in names]
        places = range(1, len(names) + 1) if len(set(scores)) < len(scores) else [None] * len(names)
        sheets.append(
            NewGame(
                [NewResult(*line) for line in zip(names, scores, places, strict=True)],
                datetime(2024, 3, 5, 19, number, tzinfo=UTC),
                f"x/{number}" if number % 2 else None,
                chance.choice([{}, {"minutes": 1e-7, "a": -0.0}]),
                kind=chance.choice(["played", "played", "forfeit"]),
                note=chance.choice(["", "a “note” with\ttab, \\ and \u2028"]),
                metadata=chance.choice([{}, {"table": "7"}]),
                weight=chance.choice([1.0, 0.5]),
            )
        )
    return sheets


NOW = datetime(2024, 4, 1, 12, tzinfo=UTC)
#: How many games one call writes.
SHARES = (1, 7)
WRITTEN = 7


def write_drawn(league: League, share: int, replace: Callable[[Game], Replacement | None]) -> League:
    """Write drawn games, so many by a call, and then, if they are to ``replace`` games, again in the place of these."""
    players = {player.handle: player for player in Player.objects.filter(handle__in=FOUR)}

    def write(league: League, now: datetime, old: list[Game]) -> list[Game]:
        unwritten = []
        for place, new in enumerate(draw_sheets(WRITTEN)):
            replacing = replace(old[place]) if old else None
            sheet = {**normalize_sheet(new), "external_id": None if old else new.external_id}
            seated = [players[one.player] for one in new.results]
            row = build_row(league, sheet, now, "olga", None if replacing is None else replacing.game)
            unwritten.append(
                UnwrittenGame(row, build_results(new, seated, {players["ben"].pk: players["dan"]}), replacing)
            )
        parts = [unwritten[start : start + share] for start in range(0, WRITTEN, share)]
        return [game for part in parts for game in write_games(league, now, "olga", part)]

    games = run_with_league_lock(league.pk, lambda league, now: write(league, now, []), NOW)
    if replace(games[0]) is not None:
        later = NOW + timedelta(days=1)
        run_with_league_lock(league.pk, lambda league, now: void_games(games, now, "Wrong.", "olga"), later)
        run_with_league_lock(league.pk, lambda league, now: write(league, now, games), later)
    replay_league(league.pk)
    return league_of(league.slug)


def list_books(league: League) -> dict[str, Any]:
    """Return all that a league has of its games, but for keys."""
    return {
        "games": list(
            Game.objects.filter(league=league).order_by("number").values_list(*list_columns(Game), "replaces__number")
        ),
        "results": list(
            Result.objects.filter(league=league).order_by("game__number", "seat").values_list(
                "game__number", *list_columns(Result), "player__handle", "recorded_as__handle",
            )
        ),
        "log": [(entry.kind, entry.by, entry.at, said(entry)) for entry in league.log.order_by("position")
                if entry.kind.startswith("game.")],
        "last number": league.last_number,
        "history": derived(league),
    }  # fmt: skip


def list_columns(model: type[models.Model]) -> list[str]:
    """Return the columns of a model that refer to no other row."""
    return [one.name for one in model._meta.concrete_fields if not one.is_relation and not one.primary_key]


KINDS: dict[str, tuple[str, Callable[[Game], Replacement | None]]] = {
    "new": ("game.recorded", lambda game: None),
    "corrected": ("game.corrected", Replacement),
    "restored": ("game.restored", lambda game: Replacement(game, "Not so.", game.number)),
}


@pytest.mark.engine
@pytest.mark.parametrize("name", KINDS)
def test_one_call_writes_what_a_call_for_each_game_writes(name: str) -> None:
    kind, replace = KINDS[name]
    one, many = (list_books(write_drawn(make_league(slug=f"by-{share}"), share, replace)) for share in SHARES)
    assert one == many
    assert [entry[0] for entry in one["log"]].count(kind) == WRITTEN
    assert len(one["games"]) == one["last number"] == (WRITTEN if name == "new" else 2 * WRITTEN)
    last = Game.objects.filter(league__slug="by-1").order_by("number")[one["last number"] - WRITTEN :]
    for new, game in zip(draw_sheets(WRITTEN), last, strict=True):
        assert (game.played_at, game.kind, game.note) == (new.played_at, new.kind, new.note)
        assert (game.details, game.metadata, game.weight) == (new.details, new.metadata, new.weight)
        seats = game.results.order_by("seat").values_list("seat", "player__handle", "score", "place")
        wanted = [(seat, line.player, line.score, line.place) for seat, line in enumerate(new.results, start=1)]
        assert list(seats) == wanted


@pytest.mark.engine
@pytest.mark.parametrize(
    ("share", "step"),
    [
        (1, "insert_games"), (1, "insert_results"), (1, "_build_payload"), (1, "entries.append"),
        (7, "insert_games"), (7, "insert_results"), (7, "_build_payload"), (7, "entries.append_many"),
    ],
)  # fmt: skip
def test_a_failure_in_the_middle_writes_nothing(share: int, step: str) -> None:
    league = make_league(slug="broken")
    with patch(f"league.core.games.services.write_games.{step}", side_effect=Undone), pytest.raises(Undone):
        write_drawn(league, share, KINDS["new"][1])
    league = league_of("broken")
    assert (league.last_number, Game.objects.filter(league=league).count()) == (0, 0)
    assert not Result.objects.filter(league=league).exists()
    assert not league.log.filter(kind__startswith="game.").exists()
    assert verify_league(league.pk).differences == []
