"""Every change of the books has its entry in the log; the entries are chained, and nothing can change one."""

import hashlib
import json
from collections.abc import Callable
from datetime import date
from io import BytesIO
from typing import Any

import pytest
import rfc8785
from django.db import DatabaseError, connection, transaction
from django.db.models import ProtectedError
from hypothesis import given
from hypothesis import strategies as st

from league.chain import canonical
from league.errors import Refused
from league.models import Decision, League, LogEntry, Player
from league.services.dry_runs.rollback import dry_run
from league.services.dry_runs.run import preview_report
from league.services.imports.run import ImportOptions, import_games
from league.services.ladders.decisions import carry_period, reopen_period
from league.services.ladders.ladders import Ranking, change_ladder, change_ranking
from league.services.leagues.leagues import adopt_rule, change_league
from league.services.players.players import change_player, set_initial_rating
from league.services.recording.games import correct_game, record_game, void_game
from league.services.verify.run import verify_league
from tests.helpers.builders import ELO, make_league, record, said, sheet
from tests.helpers.ladder_builders import close, duel, make_ladder, tables
from tests.helpers.log_reading import free_log, last_entry, log_entries, log_kinds, run_sql

pytestmark = [pytest.mark.engine, pytest.mark.django_db]


def test_a_new_league_begins_its_log_with_itself_and_its_rule() -> None:
    league = make_league(parameters={"k": 32}, game="Chess", time_zone="Europe/Paris")
    made, rule = log_entries(league)
    assert (made.position, made.by, made.kind) == (1, "test", "league.created")
    assert json.loads(made.payload) == {
        "slug": "club", "title": "Club", "game": "Chess", "description": "", "time_zone": "Europe/Paris",
        "visibility": "public", "min_games": 1, "inactive_after_days": None, "close_after_hours": 24,
        "closing": "automatic", "language": "en",
        "reporting": "off", "report_hours": 48, "report_timeout": "wait",
        "colour": "auto", "division": "auto", "charge": "auto",
    }  # fmt: skip
    assert (rule.position, rule.kind) == (2, "rule.adopted")
    assert json.loads(rule.payload) == {"from": "1800-01-01", "system": "elo", "parameters": {**ELO, "k": 32}}


def test_the_hash_is_that_of_the_entry_in_canonical_json_with_the_hash_before_it() -> None:
    league = make_league()
    record(league, duel("anna", "ben", "2024-03-10", note="Zoë said: “2½”\n"))
    previous = "0" * 64
    for entry in log_entries(league):
        hashed = {
            "at": entry.at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), "by": entry.by, "kind": entry.kind,
            "payload": json.loads(entry.payload), "position": entry.position, "previous": previous,
        }  # fmt: skip
        previous = hashlib.sha256(rfc8785.dumps(hashed)).hexdigest()
        assert entry.sha256 == previous
    league.refresh_from_db()
    assert (league.log_length, league.log_sha256) == (3, previous)


def test_games_are_told_whole() -> None:
    league = make_league()
    played = {
        "played_at": "2024-03-10T00:00:00.000000Z",
        "kind": "played",
        "details": {},
        "external_id": "a",
        "note": "",
    }
    won = [{"player": "anna", "score": 1, "place": None}, {"player": "ben", "score": 0, "place": None}]
    lost = [{"player": "anna", "score": 0, "place": None}, {"player": "ben", "score": 1, "place": None}]
    record(league, duel("anna", "ben", "2024-03-10", external_id="a"))
    assert last_entry(league) == ("test", "game.recorded", {"number": 1, **played, "results": won})
    record(league, duel("anna", "ben", "2024-03-10", external_id="a"))
    assert len(log_entries(league)) == 3
    new = sheet(("anna", "ben"), (0, 1), played_at=None)
    correct_game(league.pk, 1, new, reason="Swapped.", by="olga")
    told = {"number": 1, "reason": "Swapped.", "game": {"number": 2, **played, "results": lost}}
    assert last_entry(league) == ("olga", "game.corrected", told)
    void_game(league.pk, 2, reason="A friendly.", by="olga")
    assert last_entry(league) == ("olga", "game.voided", {"number": 2, "reason": "A friendly."})


def test_players_added_with_a_game_are_told_before_it() -> None:
    league = make_league()
    record(league, duel("anna", "New One", "2024-03-10", create_players=True))
    assert log_kinds(league)[2:] == ["player.created", "game.recorded"]
    assert said(log_entries(league)[2]) == {"player": "new-one"}


def test_an_import_tells_each_game() -> None:
    league = make_league()
    rows = ("x,2024-03-05,anna,1", "x,2024-03-05,Zoe,0", "y,2024-03-06,ben,1", "y,2024-03-06,anna,0")
    text = "\n".join(["game_id,played_at,player,score", *rows])
    import_games(league.pk, BytesIO(text.encode()), ImportOptions(by="import", create_players=True))
    assert log_kinds(league)[2:] == ["player.created", "game.recorded", "game.recorded"]
    one = log_entries(league)[3]
    assert one.by == "import"
    assert said(one)["results"][1] == {"player": "Zoe", "score": 0, "place": None}
    assert verify_league(league.pk).differences == []
    before = tables()
    preview_report(league, BytesIO(text.replace("x,", "z,").encode()), ImportOptions("test"))
    assert tables() == before


CHANGES: dict[str, tuple[Callable[[League], object], tuple[str, str, Any]]] = {
    "settings": (
        lambda league: change_league(league.pk, {"min_games": 3, "title": "Club"}, by="olga"),
        ("olga", "league.changed", {"min_games": 3}),
    ),
    "rule": (
        lambda league: adopt_rule(league.pk, "elo", {"k": 10}, date(2024, 6, 1), by="olga"),
        ("olga", "rule.adopted", {"from": "2024-06-01", "system": "elo", "parameters": {**ELO, "k": 10}}),
    ),
    "start": (
        lambda league: set_initial_rating(league.pk, Player.objects.get(handle="dan"), 1700.5, by="olga"),
        ("olga", "initial_rating.set", {"player": "dan", "rating": 1700.5}),
    ),
    "player": (
        lambda league: change_player(Player.objects.get(handle="anna"), name="Anna B", active=False, by="olga"),
        ("olga", "player.changed", {"player": "anna", "given": ["active", "name"], "active": False}),
    ),
    "ladder": (
        lambda league: change_ladder(league.pk, "month", {"title": "Months"}, by="olga"),
        ("olga", "ladder.changed", {"ladder": "month", "title": "Months", "ended_on": None}),
    ),
    "ranking": (
        lambda league: change_ranking(
            league.pk, "month", Ranking("points", "month", {"win": 3}, date(2024, 6, 1)), by="olga"
        ),
        (
            "olga",
            "ladder.rule_adopted",
            {
                "ladder": "month", "from": "2024-06-01", "to": None, "method": "points", "cadence": "month",
                "parameters": {"count": "outcomes", "win": 3, "draw": 0.5, "loss": 0, "ties": "break", "minimum": 1},
            },
        ),
    ),
    "reopened": (
        lambda league: reopen_period(league.pk, "month", "2024-03", reason="A late sheet.", by="olga"),
        ("olga", "period.reopened", {"ladder": "month", "period": "2024-03", "edition": 1, "reason": "A late sheet."}),
    ),
}  # fmt: skip


def books() -> League:
    """Return a league with a game and a closed month."""
    league = make_league()
    make_ladder(league)
    record(league, duel("anna", "ben", "2024-03-10"))
    close(league, "2024-03")
    return league


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_told_once_and_who_made_it(name: str) -> None:
    league = books()
    before = len(log_entries(league))
    act, told = CHANGES[name]
    act(league)
    assert last_entry(league) == told
    assert len(log_entries(league)) == before + 1
    assert verify_league(league.pk).differences == []


def test_ladders_editions_and_decisions_are_told() -> None:
    league = books()
    assert log_kinds(league)[2:] == ["ladder.created", "ladder.rule_adopted", "game.recorded", "edition.published"]
    edition = league.ladders.get().editions.get()
    told = {"ladder": "month", "period": "2024-03", "edition": 1, "reason": "", "sha256": edition.sha256}
    assert last_entry(league) == ("olga", "edition.published", told)
    void_game(league.pk, 1, reason="A friendly.", by="test")
    carry_period(league.pk, "month", "2024-03", reason="Prizes were given.", by="olga")
    (digest,) = Decision.objects.values_list("digest", flat=True)
    carried = {"ladder": "month", "period": "2024-03", "edition": 1, "reason": "Prizes were given.", "digest": digest}
    assert last_entry(league) == ("olga", "period.carried", carried)


def test_a_player_is_told_of_in_the_leagues_that_know_him_and_in_no_other() -> None:
    league, other, third = make_league(), make_league(slug="other"), make_league(slug="third", starts={"anna": 1500})
    record(league, duel("anna", "ben", "2024-03-10"))
    change_player(Player.objects.get(handle="anna"), aliases=["Annie"], by="olga")
    told = ("olga", "player.changed", {"player": "anna", "given": ["aliases"]})
    assert last_entry(league) == told
    assert last_entry(third) == told
    assert log_kinds(other) == ["league.created", "rule.adopted"]


def test_what_changes_nothing_or_is_refused_or_only_tried_is_not_told() -> None:
    league = books()
    before = tables()
    change_league(league.pk, {"title": "Club"}, by="olga")
    with pytest.raises(Refused):
        record_game(league.pk, duel("anna", "nobody", "2024-03-11"), by="test")
    dry_run(league.pk, None, lambda: void_game(league.pk, 1, reason="A friendly.", by="test"))
    assert tables() == before


def replaced(entry: LogEntry) -> None:
    """Insert an entry in the place of another one, which no trigger of DELETE hears on SQLite."""
    rows = "league_logentry SELECT * FROM league_logentry WHERE id = %s"
    if connection.vendor == "sqlite":
        run_sql(f"INSERT OR REPLACE INTO {rows}")(entry)
    else:
        run_sql(f"INSERT INTO {rows} ON CONFLICT (id) DO UPDATE SET payload = '{{}}'")(entry)


def copied(entry: LogEntry) -> None:
    """Insert another entry of the same position."""
    entry.pk = None
    entry.save(force_insert=True)


ATTACKS: dict[str, Callable[[LogEntry], object]] = {
    "save": lambda entry: entry.save(),
    "update": lambda entry: LogEntry.objects.filter(pk=entry.pk).update(payload="{}"),
    "delete": lambda entry: entry.delete(),
    "delete all": lambda entry: LogEntry.objects.all()._raw_delete("default"),
    "delete its league": lambda entry: entry.league.delete(),
    "another of its position": copied,
    "another in its place": replaced,
    "SQL update": run_sql("UPDATE league_logentry SET by = 'nobody' WHERE id = %s"),
    "SQL delete": run_sql("DELETE FROM league_logentry WHERE id = %s"),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_entry_never_changes(attack: str) -> None:
    league = make_league()
    before = list(LogEntry.objects.values_list())
    with pytest.raises((DatabaseError, ProtectedError)), transaction.atomic():
        ATTACKS[attack](log_entries(league)[0])
    assert list(LogEntry.objects.values_list()) == before


#: What is planted with the triggers dropped, and how the sentence that names it begins.
BREAKS: dict[str, tuple[Callable[[League], object], str]] = {
    "payload": (lambda league: league.log.filter(position=3).update(payload="{}"), "Entry 3 of the log (game."),
    "who": (lambda league: league.log.filter(position=2).update(by="x"), "Entry 2 of the log (rule.adopted) does not"),
    "when": (lambda league: league.log.filter(position=2).update(at="2020-01-01T00:00Z"), "Entry 2 of the log (rule."),
    "kind": (lambda league: league.log.filter(position=3).update(kind="game.voided"), "Entry 3 of the log (game.v"),
    "hash": (lambda league: league.log.filter(position=2).update(sha256="0" * 64), "Entry 2 of the log (rule."),
    "missing": (lambda league: league.log.filter(position=2).delete(), "Entry 2 of the log is missing."),
    "cut off": (lambda league: league.log.filter(position=4).delete(), "The log ends with entry 3 ("),
    "head": (lambda league: League.objects.update(log_sha256="1" * 64), "The log ends with entry 4 ("),
}  # fmt: skip


@pytest.mark.parametrize("name", BREAKS)
def test_verify_names_the_first_broken_link(name: str) -> None:
    league = make_league()
    record(league, duel("anna", "ben", "2024-03-10"))
    record(league, duel("anna", "ben", "2024-03-11"))
    assert verify_league(league.pk).entries == 4
    plant, sentence = BREAKS[name]
    free_log()
    plant(league)
    (found,) = verify_league(league.pk).differences
    assert found.startswith(sentence)


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


def as_doubles(value: Any) -> Any:
    """Return a value with every whole number that a double does not hold exactly as a double."""
    if isinstance(value, dict):
        return {key: as_doubles(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [as_doubles(inner) for inner in value]
    return float(value) if type(value) is int and abs(value) > 2**53 - 1 else value


@given(plain.filter(lambda value: len(repr(value)) < 300))
def test_the_quick_canonical_json_is_the_librarys(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(as_doubles(value)).decode()
