"""An export makes the league again: every rating, change, standing and edition bit for bit, or a line and nothing."""

import gzip
import json
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.utils import timezone

from league.apps.imports.services.run import ImportOptions, import_games
from league.core.games.services.record import void_game
from league.core.players.services.players import change_player
from league.core.transfer.selectors.exports import export_lines
from league.core.transfer.services import restore
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import Decision, Edition, Game, League, LogEntry, Period, Player, Rule
from tests.helpers.api_client import Api
from tests.helpers.builders import derived, make_league, record, sheet
from tests.helpers.ladder_builders import duel, standings
from tests.helpers.restore_builders import Undone, build_everything, export_of, lines_file
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db


def league_state(league: League) -> dict[str, Any]:
    """Return everything of a league but the tables' own keys and its slug."""
    return {
        "derived": derived(league),
        "standings": standings(league),
        "editions": list(Edition.objects.filter(ladder__league=league).order_by("pk").values_list(
            "ladder__slug", "key", "number", "published_at", "published_by", "winners", "document", "sha256",
            "standings_sha256", "due_at", "log_position",
        )),
        "periods": list(Period.objects.filter(ladder__league=league).order_by("ladder__slug", "key").values_list(
            "ladder__slug", "key", "title", "starts_at", "ends_at", "closed", "awaits", "rule__from_date",
        )),
        "decisions": list(Decision.objects.filter(ladder__league=league).order_by("pk").values_list(
            "ladder__slug", "key", "edition", "kind", "at", "by", "reason", "digest",
        )),
        "rules": list(Rule.objects.filter(league=league).values_list(
            "from_date", "starts_at", "system", "parameters", "created_at", "created_by",
        )),
        "games": list(Game.objects.filter(league=league).order_by("number").values_list(
            "number", "played_at", "kind", "external_id", "details", "note", "recorded_at", "recorded_by", "voided_at",
            "voided_by", "void_reason", "replaces__number",
        )),
        "log": list(LogEntry.objects.filter(league=league).exclude(kind="league.restored").order_by("position")
                    .values_list("position", "at", "by", "kind", "payload", "sha256")),
        "league": (league.title, league.time_zone, league.created_at, league.last_number),
    }  # fmt: skip


def told_and_undone() -> tuple[list[str], dict[str, Any], list[Any]]:
    """Return the export, the picture and the players of a league that is not there any more."""
    try:
        with transaction.atomic():
            league = build_everything()
            people = list(Player.objects.order_by("handle").values_list("handle", "name", "active", "created_at"))
            raise Undone(export_of(league), league_state(league), people)
    except Undone as undone:
        return undone.args[0], undone.args[1], undone.args[2]


@long_way
def test_a_league_is_the_same_again_in_an_empty_database() -> None:
    lines, before, people = told_and_undone()
    assert not Player.objects.exists()
    done = restore_league(BytesIO(gzip.compress(lines_file(lines).getvalue())), by="operator")
    assert (done.games, done.editions) == (7, 2)
    league = League.objects.get(slug="club")
    assert league_state(league) == before
    assert list(Player.objects.order_by("handle").values_list("handle", "name", "active", "created_at")) == people
    assert set(Player.objects.get(handle="anna").aliases.values_list("text", flat=True)) == {"anna", "Annie", "A. Å"}
    assert verify_league(league.pk).differences == []
    # What it exports now is what was read: only the header, the league's line and the last entry tell of the way.
    assert export_of(league)[2:-2] == lines[2:-1]


@pytest.mark.slow("The same as in an empty database, under another slug.")
def test_a_league_is_the_same_beside_itself_under_another_slug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restore, "BATCH", 2)
    league = build_everything()
    players = Player.objects.count()
    restore_league(lines_file(export_of(league)), slug="copy", by="operator")
    copy = League.objects.get(slug="copy")
    assert league_state(copy) == league_state(league)
    assert Player.objects.count() == players
    assert verify_league(copy.pk).differences == []
    entry = copy.log.order_by("-position")[0]
    assert (entry.kind, entry.by, json.loads(entry.payload)["slug"]) == ("league.restored", "operator", "copy")
    record(copy, duel("dan", "anna", "2024-05-11"))
    assert verify_league(copy.pk).differences == []


@long_way
def test_a_league_with_a_replay_on_its_way_is_restored_replayed(settings: Any) -> None:
    league = build_everything()
    settings.RUNGS_INLINE_GAMES = 0
    void_game(league.pk, 3, reason="A friendly.", username="olga")
    done = restore_league(lines_file(export_of(league)), slug="copy", by="operator")
    assert verify_league(done.league.pk).differences == []


@long_way
def test_the_commands_export_and_restore(tmp_path: Path) -> None:
    league = build_everything()
    out = StringIO()
    call_command("export", "club", stdout=out)
    path = tmp_path / "club.ndjson"
    path.write_text(out.getvalue())
    with pytest.raises(CommandError, match="there is already a league “club”; choose another slug"):
        call_command("restore", str(path))
    change_player(Player.objects.get(handle="anna"), name="Anna B")
    with pytest.raises(CommandError, match="If equal handles are the same people, use --known-players"):
        call_command("restore", str(path), "--slug", "copy")
    said = StringIO()
    call_command("restore", str(path), "--slug", "copy", "--known-players", stdout=said)
    assert "Restored Club as copy: 7 games, 2 editions, " in said.getvalue()
    assert league_state(League.objects.get(slug="copy"))["derived"] == league_state(league)["derived"]
    with pytest.raises(CommandError, match="no league “x”"):
        call_command("export", "x")
    with pytest.raises(CommandError, match="cannot be read: No such file"):
        call_command("restore", str(tmp_path / "none"))


@long_way
def test_the_api_exports_to_who_may_see_the_league() -> None:
    league = build_everything()
    path = "leagues/club/export/"
    answer = Api().get(path)
    assert (answer.status_code, answer["Content-Type"], answer["Cache-Control"]) == (
        200, "application/x-ndjson", "private, no-store",
    )  # fmt: skip
    lines = [json.loads(line) for line in answer.getvalue().decode().splitlines()]
    assert {tuple(line["aliases"]) for line in lines if line["type"] == "player"} == {()}
    told = Api("organise", name="olga").get(f"{path}?format=ndjson").getvalue()
    done = restore_league(BytesIO(told), slug="copy", by="operator")
    assert league_state(done.league)["derived"] == league_state(league)["derived"]
    assert b"Annie" in told
    other = Api("organise", (make_league(slug="other"),), name="other")
    assert b"Annie" not in other.get(path).getvalue()
    assert Api("read", name="x").get(f"{path}?format=xml").data["detail"] == "format must be one of ndjson, csv."
    League.objects.filter(slug="club").update(visibility="private")
    assert Api().get(path).status_code == 404
    assert other.get(path).status_code == 404


# Two of them open the log: who is meant by its opaque handles, and its texts. Two are for competitions: there are none.
@pytest.mark.parametrize(("question", "queries"), [("", 21), ("?format=csv", 10)])
def test_an_export_costs_so_many_queries_however_many_games(
    question: str, queries: int, django_assert_num_queries: Any
) -> None:
    league = build_everything()
    api = Api("read")
    api.get("leagues/")  # notes that the token was used
    with django_assert_num_queries(queries):
        api.get(f"leagues/club/export/{question}").getvalue()
    for number in range(1, 9):
        record(league, duel("anna", "ben", f"2024-05-{number:02}"))
    with django_assert_num_queries(queries):
        api.get(f"leagues/club/export/{question}").getvalue()


def test_the_csv_is_what_the_import_reads() -> None:
    league = make_league("preferans", ("anna", "ben", "cleo"))
    record(league, sheet(("anna", "ben", "cleo"), (-500, 40.5, 459.5), details={"bula": 30}, external_id="#7"))
    record(league, sheet(("ben", "cleo", "anna"), (10, -30, 20), minutes=1, details={"bula": 12}))
    record(league, sheet(("ben", "cleo", "anna"), (10, -30, 20), minutes=2, details={"bula": 12}))
    void_game(league.pk, 3, reason="A friendly.", username="olga")
    text = Api("read").get("leagues/club/export/?format=csv").getvalue()
    assert text.decode().splitlines()[:5] == [
        "game_id,played_at,player,score,place,kind,bula",
        "#7,2024-03-05T19:30:00.000000Z,anna,-500.0,,played,30",
        "#7,2024-03-05T19:30:00.000000Z,ben,40.5,,played,30",
        "#7,2024-03-05T19:30:00.000000Z,cleo,459.5,,played,30",
        "##2,2024-03-05T19:31:00.000000Z,ben,10.0,,played,12",
    ]
    copy = make_league("preferans", (), slug="copy")
    assert import_games(copy.pk, BytesIO(text), ImportOptions(by="import")).games == 2
    assert derived(copy) == derived(league)


def test_a_league_without_a_rule_exports_an_empty_table() -> None:
    League.objects.create(slug="bare", title="Bare")
    assert (
        Api("read").get("leagues/bare/export/?format=csv").getvalue() == b"game_id,played_at,player,score,place,kind\n"
    )


@pytest.mark.django_db(transaction=True)
def test_an_export_outside_a_transaction_sees_one_state_while_games_are_recorded() -> None:
    league = make_league()
    record(league, duel("anna", "ben", "2024-03-10"))
    lines = export_lines(league.pk, timezone.now(), aliases=True)
    told = [next(lines)]
    with ThreadPoolExecutor(1) as pool:
        pool.submit(record_elsewhere, league).result(timeout=20)
    told += list(lines)
    assert League.objects.get(slug="club").last_number == 2
    left = export_lines(league.pk, timezone.now(), aliases=True)
    assert isinstance(left, Generator)
    assert json.loads(next(left))["type"] == "header"
    left.close()  # as a client does that goes away
    record(league, duel("anna", "ben", "2024-03-12"))
    assert restore_league(lines_file(told), slug="copy", by="operator").games == 1


def record_elsewhere(league: League) -> None:
    """Record a game by another connection."""
    try:
        record(league, duel("anna", "ben", "2024-03-11"))
    finally:
        connection.close()
