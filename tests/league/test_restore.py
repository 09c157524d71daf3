"""An export makes the league again: every rating, change, standing and edition bit for bit, or a line and nothing."""

import gzip
import json
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.utils import timezone

from league.errors import Invalid
from league.models import Decision, Edition, Game, League, LogEntry, Period, Player, Rule
from league.selectors.exports import export_lines
from league.services.imports.run import ImportOptions, import_games
from league.services.players.players import change_player
from league.services.recording.games import void_game
from league.services.transfer import restore
from league.services.transfer.restore import restore_league
from league.services.verify.run import verify_league
from tests.helpers.api_client import Api
from tests.helpers.builders import derived, make_league, record, sheet
from tests.helpers.ladder_builders import duel, make_ladder, standings, tables
from tests.helpers.restore_builders import Undone, build_everything, edited, export_of, lines_file, sealed_file

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


def test_a_league_with_a_replay_on_its_way_is_restored_replayed(settings: Any) -> None:
    league = build_everything()
    settings.RUNGS_INLINE_GAMES = 0
    void_game(league.pk, 3, reason="A friendly.", by="olga")
    done = restore_league(lines_file(export_of(league)), slug="copy", by="operator")
    assert verify_league(done.league.pk).differences == []


def without(kind: str) -> Callable[[list[str]], list[str]]:
    """Return what leaves out the first line of a kind."""

    def change(lines: list[str]) -> list[str]:
        place = next(place for place, line in enumerate(lines) if json.loads(line)["type"] == kind)
        return lines[:place] + lines[place + 1 :]

    return change


def seat(number: int, **values: Any) -> dict[str, Any]:
    """Return a result."""
    return {"seat": number, "player": "anna", "recorded_as": None, "score": 1, "place": None, **values}


#: What is wrong with a file, and the sentence that says so.
WRONG: dict[str, tuple[Callable[[list[str]], list[str]], str]] = {
    "header": (without("header"), "Line 1: a line of the type “league” must not stand here."),
    "version": (edited("header", version=2), "Line 1: this is no file of the format rungs-export, version 1."),
    "no league": (without("league"), "Line 2: a line of the type “rule” must not stand here."),
    "order": (lambda lines: [*lines[:2], lines[-2], *lines[2:]], "Line 4: a line of the type “rule” must not"),
    "slug": (edited("league", slug="Not a slug"), "Line 2: Enter a valid"),
    "zone": (edited("league", time_zone="Mars/Phobos"), "Line 2: There is no time zone “Mars/Phobos”"),
    "system": (edited("rule", system="chess"), "Line 3: "),
    "day": (edited("rule", from_date="soon"), "Line 3: the rule must be an object whose from_date is a day such as"),
    "half a letter": (edited("rule", created_by="\ud800"), "Line 3: the rule must be an object whose created_by is"),
    "no time": (edited("rule", starts_at="soon"), "Line 3: the rule must be an object whose starts_at is a time"),
    "time": (edited("rule", starts_at="2024-01-01"), "Line 3: the rule must be an object whose starts_at is a time"),
    "missing": (edited("rule", more=1), "Line 3: the rule must be an object of from_date, starts_at, system, para"),
    "name": (edited("player", name="Anne"), "Line 5: the handle anna is Anna Å here, Anne in the file."),
    "flag": (edited("player", active=1), "Line 5: the player must be an object whose active is true or false."),
    "aliases": (edited("player", aliases="x"), "Line 5: the player must be an object whose aliases is a list."),
    "start": (edited("initial_rating", rating=1e200), "Line 9: Elo knows ratings from"),
    "start of": (edited("initial_rating", player="zoe"), "Line 9: the player “zoe” does not stand above."),
    "no number": (edited("initial_rating", rating="1"), "Line 9: the initial_rating must be an object whose rating"),
    "ladder": (edited("ladder", rules=[{}]), "Line 10: the ladder must be an object whose rules is an object of"),
    "title": (edited("ladder", title=""), "Line 10: This field cannot be blank."),
    "gap": (without("game"), "Line 12: numbers are gapless: this must be game 1."),
    "seats": (edited("game", results=[seat(2)]), "Line 12: seats go from 1 on without a gap."),
    "who": (edited("game", results=[seat(1, player="zoe")]), "Line 12: the player “zoe” does not stand above."),
    "alone": (edited("game", voided_at=None, void_reason="", results=[seat(1)]), "Line 12: "),
    "early": (edited("game", 2, played_at="1700-01-01T00:00:00Z"), "Line 14: no rule was in force when the game"),
    "later": (edited("game", 1, replaces=2), "Line 13: a game replaces an earlier one."),
    "negative": (edited("game", number=-1), "Line 12: the game must be an object whose number is a whole number"),
    "details": (edited("game", details=[]), "Line 12: the game must be an object whose details is an object."),
    "key": (edited("game", 5, order_key=6), "Line 17: a game that replaces another one has that one's order_key."),
    "twice": (edited("game", 3, order_key=3), "Lines 12 to 18: the database refuses what stands there"),
    "rule of": (edited("period", rule="2024-02-02"), "Line 19: the ladder month has no rule from 2024-02-02."),
    "period of": (edited("period", ladder="x"), "Line 19: the ladder “x” does not stand above."),
    "period": (edited("period", 1, key="2024-03"), "Line 20: the database refuses what stands there"),
    "forged": (edited("edition", document="{}"), "does not have the SHA-256 that it was published with."),
    "broken": (edited("entry", entry=json.loads("{}")), "the entry must be an object whose entry is an object of at"),
    "unchained": (without("entry"), "entry 2 of the log is not chained to the one before."),
    "fewer": (edited("league", last_number=8), "last_number is 7; the league's line says 8."),
    "type": (edited("rule", type="law"), "Line 3: it has no “type” that an export knows: header, league, rule"),
    "no object": (lambda lines: [lines[0], "[1]", *lines[1:]], "Line 2: it has no “type” that an export knows"),
    "no JSON": (lambda lines: [lines[0], '{"type":NaN}', *lines[1:]], "Line 2: this is not JSON in UTF-8."),
    "NUL": (edited("rule", created_by="\0"), "Line 3: the rule must be an object whose created_by is a text without"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_line_is_named_and_nothing_is_written(name: str) -> None:
    lines = export_of(build_everything())
    before = tables()
    change, sentence = WRONG[name]
    with pytest.raises(Invalid) as refused:
        restore_league(sealed_file(change(lines)), slug=None if name == "slug" else "copy", by="operator")
    assert refused.value.detail.startswith("Nothing was restored. Line")
    assert sentence in refused.value.detail
    assert tables() == before


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda data: data[:-200], "this is not JSON in UTF-8."),
        (lambda data: b"\n".join(data.split(b"\n")[:-2]) + b"\n", "the end is missing: the file was cut off"),
        (lambda data: data.replace(b"Swapped.", b"Swopped.", 1), "their SHA-256 is another one."),
        (lambda data: data + data.split(b"\n")[-2] + b"\n", "a line of the type “end” must not stand here."),
        (lambda data: gzip.compress(data)[:-100], "The file cannot be unpacked"),
        (lambda data: data.replace("Å".encode(), b"\xc5", 1), "this is not JSON in UTF-8."),
        (lambda data: b"", "Line 1: the end is missing"),
    ],
)
def test_a_damaged_file_is_refused(damage: Callable[[bytes], bytes], sentence: str) -> None:
    league = build_everything()
    data = lines_file(export_of(league)).getvalue()
    before = tables()
    with pytest.raises(Invalid, match="Nothing was restored") as refused:
        restore_league(BytesIO(damage(data)), slug="copy", by="operator")
    assert sentence in refused.value.detail
    assert tables() == before


def test_the_commands_export_and_restore(tmp_path: Path) -> None:
    league = build_everything()
    out = StringIO()
    call_command("export", "club", stdout=out)
    path = tmp_path / "club.ndjson"
    path.write_text(out.getvalue())
    with pytest.raises(CommandError, match="there is a league “club” already; choose another slug"):
        call_command("restore", str(path))
    change_player(Player.objects.get(handle="anna"), name="Anna B")
    with pytest.raises(CommandError, match="If equal handles are the same people, say so"):
        call_command("restore", str(path), "--slug", "copy")
    said = StringIO()
    call_command("restore", str(path), "--slug", "copy", "--known-players", stdout=said)
    assert "Restored Club as copy: 7 games, 2 editions, " in said.getvalue()
    assert league_state(League.objects.get(slug="copy"))["derived"] == league_state(league)["derived"]
    with pytest.raises(CommandError, match="no league “x”"):
        call_command("export", "x")
    with pytest.raises(CommandError, match="cannot be read: No such file"):
        call_command("restore", str(tmp_path / "none"))


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


# Two of them open the log: who is meant by its opaque handles, and its texts.
@pytest.mark.parametrize(("question", "queries"), [("", 19), ("?format=csv", 10)])
def test_an_export_costs_so_many_queries_however_many_games(
    question: str, queries: int, django_assert_num_queries: Any
) -> None:
    league = build_everything()
    api = Api("read")
    api.get("leagues/")  # notes that the token was used
    with django_assert_num_queries(queries):
        api.get(f"leagues/club/export/{question}").getvalue()
    for number in range(1, 29):
        record(league, duel("anna", "ben", f"2024-05-{number:02}"))
    with django_assert_num_queries(queries):
        api.get(f"leagues/club/export/{question}").getvalue()


def test_the_csv_is_what_the_import_reads() -> None:
    league = make_league("preferans", ("anna", "ben", "cleo"))
    record(league, sheet(("anna", "ben", "cleo"), (-500, 40.5, 459.5), details={"bula": 30}, external_id="#7"))
    record(league, sheet(("ben", "cleo", "anna"), (10, -30, 20), minutes=1, details={"bula": 12}))
    record(league, sheet(("ben", "cleo", "anna"), (10, -30, 20), minutes=2, details={"bula": 12}))
    void_game(league.pk, 3, reason="A friendly.", by="olga")
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


def test_an_export_from_before_there_were_order_keys_is_restored_with_them() -> None:
    league = build_everything()
    lines = export_of(league)
    told = [json.loads(line) for line in lines if '"type":"end"' not in line]
    assert sum("order_key" in one for one in told) == 7
    old = [json.dumps({name: value for name, value in one.items() if name != "order_key"}) for one in told]
    restored = restore_league(sealed_file(old), slug="again", known_players=True, by="olga").league
    keys = Game.objects.filter(league=restored).order_by("number").values_list("order_key", flat=True)
    assert list(keys) == [1, 2, 3, 4, 1, 1, 7]


def test_a_dated_ladder_comes_back_with_its_days() -> None:
    league = make_league()
    make_ladder(league, "spring", cadence="dated", from_date=date(2024, 3, 1), to_date=date(2024, 5, 31))
    record(league, duel("anna", "ben", "2024-03-10"))
    again = restore_league(lines_file(export_of(league)), slug="again", known_players=True, by="root").league
    rule = again.ladders.get().rules.get()
    assert (rule.cadence, rule.from_date, rule.to_date) == ("dated", date(2024, 3, 1), date(2024, 5, 31))
    assert standings(again) == standings(league)
