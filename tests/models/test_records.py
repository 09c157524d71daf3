"""Every field of every table of facts is in its record, and in the log; or it stands here, or there, why not."""

from typing import Any

import pytest
from django.core.checks import run_checks

from league.core.log.chain import unseal
from league.core.log.selectors.log_decode import load_all_handles
from league.core.log_tables import LogTable
from league.core.record_checks import find_problems, list_log_tables, list_records
from league.core.records import Record
from league.models import Adjustment, Ladder
from league.models.derived import PERIOD_RECORD
from league.models.facts import ADJUSTMENT_LOG, GAME_RECORD, RESULT_RECORD
from league.models.leagues import LEAGUE_RECORD
from tests.helpers.every_fact import build_every_fact
from tests.helpers.tiers import long_way
from tests.helpers.verify_builders import build_every_entry

RECORDS: list[Record] = list_records()
#: Fields of which no row of a record says anything: its league and key, and what the children of a row say of it.
OF_EVERY_ROW = {"id", "league"}
#: Records that ``verify`` does not compare as rows of a table, and what compares them.
COMPARED_ELSEWHERE = {
    LEAGUE_RECORD.model.__name__: "read_league in core/verify/facts.py: all settings",
    GAME_RECORD.model.__name__: "core/verify/games.py, as texts; only their void marks are rows",
    RESULT_RECORD.model.__name__: "core/verify/games.py, with their games",
    PERIOD_RECORD.model.__name__: "derived: core/verify/ladders.py computes them",
}
#: Fields that are in no export, and why.
NOT_EXPORTED: dict[str, str] = {
    "League.stale_from": "internal state",
    "League.stale_key": "internal state",
    "League.touched_from": "internal state",
    "League.touched_key": "internal state",
    "League.unranked_from": "internal state",
    "League.replays": "a count of rewritings",
    "League.log_sha256": "the last line of the log has it",
    "League.has_listeners": "saves a query",
    "League.attaches_games": "saves a query",
    "League.has_attached_games": "saves a query",
    "League.has_fields": "saves a query",
    "League.has_contexts": "saves a query",
    "Context.pending": "work of a worker",
    "League.eventful": "saves a query",
    "League.last_message": "a count of notices",
    "League.seats": "how a league shows itself",
    "League.picture": "how a league shows itself",
    "League.also_rated_by": "how a league shows itself",
    "Period.closed": "follows from editions and decisions",
    "Period.awaits": "follows from editions and decisions",
}


def name_record(record: Record) -> str:
    return record.model.__name__


def list_fields(record: Record, members: Any) -> set[str]:
    """Return the fields of a record's own model with which the paths of members begin."""
    return {member.fields[0].name for member in members}


@pytest.mark.parametrize("record", RECORDS, ids=name_record)
def test_every_field_is_in_its_record(record: Record) -> None:
    fields = {field.name for field in record.model._meta.concrete_fields}
    told = list_fields(record, record.members.values())
    missing = fields - told - OF_EVERY_ROW - {record.parent, record.within, record.position}
    named = {field for one, field in (name.split(".") for name in NOT_EXPORTED) if one == record.model.__name__}
    assert missing == named


@pytest.mark.parametrize("record", RECORDS, ids=name_record)
def test_every_member_is_compared_with_the_log(record: Record) -> None:
    if record.model.__name__ in COMPARED_ELSEWHERE:
        return
    tables = [table for table in list_log_tables() if table.record is record]
    compared = {member.name for table in tables for member in (*table.compared.values(), *table.sealed.values())}
    if any(record in table.children.values() for table in list_log_tables()):
        compared |= record.members.keys()
    assert record.members.keys() - compared == set(record.unlogged)


@long_way
@pytest.mark.django_db
def test_a_row_is_logged_as_it_is_compared_with_the_log() -> None:
    league = build_every_fact()
    names, compared = load_all_handles(), 0
    for table in list_log_tables():
        stored = dict(table.read_stored(league))
        rows = table.record.model._default_manager.filter(league=league).order_by("pk")
        payloads = table.build_payloads(rows.exclude(**table.none) if table.none else rows)
        for payload, (key, row) in zip(payloads, stored.items(), strict=True):
            logged = unseal({**table.defaults, **payload}, names, {})
            told = {name: value for name, value in logged.items() if name in row}
            assert told == {name: row[name] for name in told}
            assert table.find_rows(league, row).count() == 1, (table.title, key)
            compared += 1
    assert compared > len(list_log_tables())


@long_way
@pytest.mark.django_db
def test_a_row_is_exported_alike_alone_and_with_all_others() -> None:
    league = build_every_entry()
    for record in RECORDS:
        if not record.parent and record is not LEAGUE_RECORD:
            rows = record.model._default_manager.filter(league=league)
            lines = [
                {name: value for name, value in line.items() if name not in record.children}
                for line in record.serialize_rows(rows)
            ]
            assert lines == [record.serialize(row) for row in rows.order_by(*record.order_by)]


def test_the_system_check_finds_no_path_that_leads_nowhere() -> None:
    assert [one for one in run_checks() if one.id == "league.E001"] == []


@pytest.mark.parametrize("members", ["number", "amount=amont", "player=player.handel", "amount=amount.handle"])
def test_the_system_check_finds_a_path_that_leads_nowhere(members: str) -> None:
    problems = list(find_problems(Record(Adjustment, members)))
    assert bool(problems) == (members != "number")


def test_the_system_check_finds_a_default_of_no_member() -> None:
    (problem,) = find_problems(Record(Ladder, "slug", omit={"titel": ""}))
    assert problem == "The record of Ladder has no member titel."


def test_a_table_of_the_log_names_only_members_of_its_record() -> None:
    with pytest.raises(KeyError, match="amont"):
        LogTable(
            ADJUSTMENT_LOG.record, "x", payload="since=at amont", name=ADJUSTMENT_LOG.name, counted=None, key="since"
        )
