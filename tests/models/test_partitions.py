"""A site whose large tables are divided by league with ``deploy/partitions.sql``: it works as before, and verifies."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from league.core.players.services.merges import unmerge_player
from league.core.transfer.selectors.exports import export_lines
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import League
from tests.helpers.builders import derived, make_league, player_of, record
from tests.helpers.ladder_builders import close, duel, make_ladder, standings
from tests.helpers.restore_builders import lines_file
from tests.helpers.verify_builders import build_every_entry

pytestmark = [pytest.mark.engine, pytest.mark.django_db]

SQL = Path(__file__).parents[2] / "deploy" / "partitions.sql"
DIVIDED = ["league_game", "league_logentry", "league_ratingchange", "league_result", "league_standing"]


def divide() -> None:
    """Divide the tables as an operator does."""
    connection.check_constraints()  # no table is altered while keys wait for the end of the transaction
    with connection.cursor() as cursor:
        cursor.execute(SQL.read_text())


def definitions() -> set[tuple[str, str]]:
    """Return names and kinds of the constraints, indexes and triggers of the tables that are divided."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conname, contype::text FROM pg_constraint WHERE conrelid = ANY(%s::regclass[]) AND conparentid = 0 "
            "UNION SELECT relname, 'index' FROM pg_index JOIN pg_class ON oid = indexrelid "
            "WHERE indrelid = ANY(%s::regclass[]) "
            "UNION SELECT tgname, 'trigger' FROM pg_trigger WHERE tgrelid = ANY(%s::regclass[]) AND NOT tgisinternal",
            [DIVIDED] * 3,
        )
        return set(cursor.fetchall())


def partitions_with_rows(table: str) -> set[str]:
    """Return the partitions of a table that have rows."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT DISTINCT tableoid::regclass::text FROM {table}")
        return {name for (name,) in cursor.fetchall()}


def checked(work: Callable[[], object]) -> None:
    """Do something, and check at once what PostgreSQL checks at the end of a transaction."""
    work()
    connection.check_constraints()


def test_a_divided_site_works_as_before_and_verifies() -> None:
    if connection.vendor != "postgresql":
        return  # SQLite has no partitions
    league, before = build_every_entry(), definitions()
    was = derived(league), standings(league)
    divide()
    assert definitions() == before
    assert (derived(league), standings(league)) == was
    assert verify_league(league.pk).differences == []

    record(league, duel("anna", "ben", "2024-04-20"))
    record(league, duel("dan", "anna", "2024-04-02"))
    unmerge_player(player_of("finn"), username="olga")
    close(league, "2024-04")
    others = [make_league(slug=f"league-{number}") for number in range(4)]
    for other in others:
        make_ladder(other)
        record(other, duel("anna", "ben", "2024-03-10"))
    copy = restore_league(lines_file(list(export_lines(league.pk, timezone.now(), aliases=True))), slug="copy", by="x")
    connection.check_constraints()
    for one in (league, copy.league, *others):
        assert verify_league(one.pk).differences == []
    for table in DIVIDED:
        found = partitions_with_rows(table)
        assert len(found) > 1 and all(name.startswith(f"{table}_") for name in found)


def test_the_keys_of_a_divided_site_refuse_rows_of_two_leagues() -> None:
    if connection.vendor != "postgresql":
        return  # SQLite has no partitions
    league, other = build_every_entry(), make_league(slug="other")
    divide()
    # The trigger of the log is there as well.
    forbidden: dict[str, Callable[[], object]] = {
        "fk_league_game": lambda: league.games.get(number=1).results.update(league=other),
        "fk_league_league": lambda: League.objects.filter(pk=league.pk)._raw_delete("default"),
        "league_id_number_key": lambda: league.games.filter(number=2).update(number=1),
        "only appended to": lambda: league.log.all()._raw_delete("default"),
    }
    for refusal, work in forbidden.items():
        with pytest.raises(IntegrityError, match=refusal), transaction.atomic():
            checked(work)
