"""Every change of the books has its entry in the log; the entries are chained, and nothing can change one."""

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest
import rfc8785
from django.db import DatabaseError, connection, transaction
from django.db.models import ProtectedError
from hypothesis import given
from hypothesis import strategies as st

from league.core.dry_runs.services.rollback import run_dry
from league.core.errors import Refused
from league.core.games.services.record import record_game, void_game
from league.core.leagues.services.leagues import change_league
from league.core.log.chain import serialize_canonically
from league.core.players.services.players import change_player
from league.core.verify.run import verify_league
from league.models import League, LogEntry, Player
from tests.helpers.builders import make_league, record
from tests.helpers.ladder_builders import close, duel, make_ladder, tables
from tests.helpers.log_reading import free_log, last_entry, log_entries, log_kinds, run_sql

pytestmark = [pytest.mark.engine, pytest.mark.django_db]


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


def books() -> League:
    """Return a league with a game and a closed month."""
    league = make_league()
    make_ladder(league)
    record(league, duel("anna", "ben", "2024-03-10"))
    close(league, "2024-03")
    return league


def test_a_player_is_told_of_in_the_leagues_that_know_him_and_in_no_other() -> None:
    league, other, third = make_league(), make_league(slug="other"), make_league(slug="third", starts={"anna": 1500})
    record(league, duel("anna", "ben", "2024-03-10"))
    change_player(Player.objects.get(handle="anna"), aliases=["Annie"], username="olga")
    told = ("olga", "player.changed", {"player": "anna", "given": ["aliases"]})
    assert last_entry(league) == told
    assert last_entry(third) == told
    assert log_kinds(other) == ["league.created", "rule.adopted"]


def test_what_changes_nothing_or_is_refused_or_only_tried_is_not_told() -> None:
    league = books()
    before = tables()
    change_league(league.pk, {"title": "Club"}, username="olga")
    with pytest.raises(Refused):
        record_game(league.pk, duel("anna", "nobody", "2024-03-11"), by="test")
    run_dry(league.pk, None, lambda: void_game(league.pk, 1, reason="A friendly.", username="test"))
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


def test_an_entry_never_changes() -> None:
    league = make_league()
    before = list(LogEntry.objects.values_list())
    for attack in ATTACKS.values():
        with pytest.raises((DatabaseError, ProtectedError)), transaction.atomic():
            attack(log_entries(league)[0])
        assert list(LogEntry.objects.values_list()) == before


#: What is planted with the triggers dropped, and how the sentence that names it begins.
BREAKS: dict[str, tuple[Callable[[League], object], str]] = {
    "payload": (lambda league: league.log.filter(position=3).update(payload="{}"), "Entry 3 of the log (game."),
    "who": (lambda league: league.log.filter(position=2).update(by="x"), "Entry 2 of the log (rule.adopted) does not"),
    "missing": (lambda league: league.log.filter(position=2).delete(), "Entry 2 of the log is missing."),
    "cut off": (lambda league: league.log.filter(position=4).delete(), "The log ends with entry 3 ("),
    "head": (lambda league: League.objects.update(log_sha256="1" * 64), "The log ends with entry 4 ("),
}


@pytest.mark.sampled(every=2)
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
    assert serialize_canonically(value) == rfc8785.dumps(as_doubles(value)).decode()
