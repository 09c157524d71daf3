"""Migrations beside a running site: none locks a table for long, none breaks the release before."""

import sqlite3
import stat
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.postgres.operations import AddConstraintNotValid
from django.core.management import CommandError, call_command
from django.core.management.commands import migrate as django_migrate
from django.db import OperationalError, connection, connections, migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import ProjectState
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from league.core.capabilities import list_capabilities
from league.core.db import migrating
from league.core.db.migrating import AddIndexQuietly
from league.management.commands import migrate
from tests.helpers.long_locks import long_locks

pytestmark = pytest.mark.engine


#: The last migration of the release before.
RELEASED = "0002_triggers"


def loader() -> MigrationLoader:
    """Return all migrations, as they lie on the disk."""
    return MigrationLoader(None, ignore_no_migrations=True)


def released(there: MigrationLoader) -> ProjectState:
    """Return the state of the release before."""
    return there.project_state(("league", RELEASED))


def test_no_migration_since_the_release_locks_long_or_breaks_old_code() -> None:
    there = loader()
    state, new = released(there), set[str]()
    plan = [name for app, name in there.graph.iterative_dfs(there.graph.node_map[there.graph.leaf_nodes("league")[0]])
            if app == "league" and name > RELEASED]  # fmt: skip
    assert plan == sorted(plan)
    found = {name: long_locks(there.get_migration("league", name), state, new) for name in plan}
    assert {name: said for name, said in found.items() if said} == {}


def said(*operations: Operation, **attributes: Any) -> str:
    """Return what is said of a migration with these operations."""
    kind = type("Migration", (migrations.Migration,), {"operations": list(operations), **attributes})
    return " ".join(long_locks(kind("0099_trial", "league"), released(loader()), set()))


INDEX = models.Index(fields=["note"], name="trial")
CHECK = models.CheckConstraint(condition=models.Q(note="x"), name="trial_check")


@pytest.mark.parametrize(
    ("operation", "sentence"),
    [
        (migrations.AddField("game", "more", models.TextField(default="")), "null=True or db_default="),
        (migrations.AddField("game", "more", models.TextField(null=True, db_index=True)), "its index is built"),
        (migrations.AddField("game", "more", models.DateTimeField(db_default=Now())), "computed for each row"),
        (
            migrations.AddField("game", "more", models.ForeignKey("league.player", models.CASCADE, null=True)),
            "its foreign key locks both tables",
        ),
        (migrations.AlterField("game", "note", models.IntegerField()), "may be written anew"),
        (migrations.AddIndex("game", INDEX), "writers wait while it is built"),
        (AddIndexQuietly("game", INDEX), "needs atomic = False"),
        (migrations.AddConstraint("game", CHECK), "AddConstraintNotValid"),
        (migrations.RemoveField("game", "note"), "one release later"),
        (migrations.RenameField("game", "note", "word"), "one release later"),
        (migrations.DeleteModel("game"), "one release later"),
        (migrations.RunPython(migrations.RunPython.noop), "one transaction over rows"),
        (migrations.RunSQL("UPDATE league_game SET note = ''"), "one transaction over rows"),
        (
            migrations.SeparateDatabaseAndState(database_operations=[migrations.AddIndex("game", INDEX)]),
            "writers wait while it is built",
        ),
    ],
)
def test_what_locks_long_is_refused(operation: Operation, sentence: str) -> None:
    assert sentence in said(operation)


def test_what_takes_a_moment_is_taken() -> None:
    assert (
        said(
            migrations.AddField("game", "more", models.TextField(db_default="")),
            migrations.AddField("game", "few", models.IntegerField(null=True)),
            migrations.CreateModel("Trial", [("id", models.BigAutoField(primary_key=True)), ("a", models.TextField())]),
            migrations.AddIndex("trial", models.Index(fields=["a"], name="trial_a")),
            AddConstraintNotValid("game", CHECK),
        )
        == ""
    )
    quietly = AddIndexQuietly("game", INDEX)
    assert said(quietly, migrations.RunPython(migrations.RunPython.noop), atomic=False) == ""
    assert said(migrations.RunPython(migrations.RunPython.noop), short="Triggers alone.") == ""
    assert said(migrations.AddConstraint("game", CHECK), short="A table of ten rows.") == ""
    assert said(migrations.AlterField("game", "note", released(loader()).models["league", "game"].fields["note"])) == ""


def carried_out(operation: Any, *, backwards: bool = False) -> None:
    """Carry an operation out on the database of the run."""
    before = loader().project_state()
    after = before.clone()
    operation.state_forwards("league", after)
    with connection.schema_editor(atomic=False) as editor:
        if backwards:
            operation.database_backwards("league", editor, after, before)
        else:
            operation.database_forwards("league", editor, before, after)


def indexes() -> set[str]:
    """Return the indexes of the games."""
    with connection.cursor() as cursor:
        return set(connection.introspection.get_constraints(cursor, "league_game"))


@pytest.mark.django_db(transaction=True)
def test_an_index_comes_and_goes_while_others_write() -> None:
    index = models.Index(fields=["recorded_by"], name="trial_quiet")
    adding = AddIndexQuietly("game", index)
    carried_out(adding)
    assert "trial_quiet" in indexes()
    carried_out(adding, backwards=True)
    assert "trial_quiet" not in indexes()
    if connection.vendor != "postgresql":
        return
    # What an interrupted try left: it is there, and nobody may use it.
    carried_out(adding)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'trial_quiet'::regclass")
    carried_out(adding)
    with connection.cursor() as cursor:
        cursor.execute("SELECT indisvalid FROM pg_index WHERE indexrelid = 'trial_quiet'::regclass")
        assert cursor.fetchall() == [(True,)]
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchall() == [("2s",)]
    carried_out(adding, backwards=True)
    connection.close()


@pytest.mark.django_db(transaction=True)
def test_a_lock_that_others_hold_is_tried_for_again(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    tries: list[int] = []

    def locked(command: Any, *arguments: Any, **options: Any) -> None:
        tries.append(1)
        if len(tries) < 3:
            error = OperationalError("canceling statement due to lock timeout")
            error.__cause__ = type("LockNotAvailable", (Exception,), {"sqlstate": "55P03"})()
            raise error

    monkeypatch.setattr(django_migrate.Command, "handle", locked)
    monkeypatch.setattr(migrate, "PAUSE", 0.0)
    call_command("migrate", verbosity=0)
    assert len(tries) == 3
    assert "attempt 2 of 30 failed" in capsys.readouterr().err
    monkeypatch.setattr(migrate, "TRIES", 2)
    tries.clear()
    with pytest.raises(CommandError, match=r"No database lock in 2 attempts of 2 s: another process holds it"):
        call_command("migrate", verbosity=0)

    def away(command: Any, *arguments: Any, **options: Any) -> None:
        raise OperationalError("the server closed the connection")

    monkeypatch.setattr(django_migrate.Command, "handle", away)
    with pytest.raises(OperationalError, match="closed the connection"):
        call_command("migrate", verbosity=0)


@pytest.mark.django_db(transaction=True)
def test_work_has_no_limit_and_a_lock_is_given_up_in_two_seconds() -> None:
    if connection.vendor == "sqlite":  # it knows neither limit
        with CaptureQueriesContext(connection) as asked:
            migrating.set_migration_timeouts(connection)
        assert len(asked) == 0
        return
    held, enough = threading.Event(), threading.Event()

    def hold() -> None:
        from django.db import transaction

        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("LOCK TABLE league_game IN ACCESS SHARE MODE")
            held.set()
            enough.wait(20)
        connections.close_all()

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(10)
    migrating.set_migration_timeouts(connection)
    limits = {"statement_timeout": "0", "idle_in_transaction_session_timeout": "0", "lock_timeout": "2s"}
    with connection.cursor() as cursor:
        for name, limit in limits.items():
            cursor.execute(f"SHOW {name}")
            assert cursor.fetchall() == [(limit,)], name
    try:
        with pytest.raises(OperationalError, match="lock timeout") as refused, connection.cursor() as cursor:
            cursor.execute("ALTER TABLE league_game ADD COLUMN trial integer")
        assert migrate.is_lock_timeout(refused.value)
    finally:
        enough.set()
        holder.join()
        connection.close()


def test_a_new_file_of_sqlite_is_its_owners(tmp_path: Path) -> None:
    def of(name: str, vendor: str = "sqlite") -> Any:
        return SimpleNamespace(vendor=vendor, settings_dict={"NAME": name})

    new, there = tmp_path / "rungs.sqlite3", tmp_path / "there.sqlite3"
    there.touch(0o640)
    for path in (new, there):
        migrating.make_private(of(str(path)))
    migrating.make_private(of(":memory:"))
    migrating.make_private(of(str(tmp_path / "club"), "postgresql"))
    with sqlite3.connect(new) as file:
        file.execute("PRAGMA journal_mode = WAL")
        file.execute("CREATE TABLE one (number INTEGER)")
        beside = tmp_path / "rungs.sqlite3-wal"
        assert [stat.S_IMODE(path.stat().st_mode) for path in (new, beside, there)] == [0o600, 0o600, 0o640]
    file.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rungs.sqlite3", "there.sqlite3"]


@pytest.mark.slow("Migrates anew; only sites of the first days have such tables.")
@pytest.mark.django_db
def test_tables_from_before_the_apps_are_taken_as_migrated() -> None:
    """Capabilities own tables that migrations of the league once made: ``migrate`` leaves these as they are."""
    labels = {"competitions", "imports", "laboratory", "notices", "reports", "webhooks"}
    assert labels <= {config.label for config in list_capabilities() if list(config.get_models())}
    recorder = MigrationRecorder(connection)
    recorder.migration_qs.filter(app__in=labels).delete()
    for label in sorted(labels):
        call_command("migrate", label, "0001", verbosity=0)
    applied = {(app, name) for app, name in recorder.applied_migrations() if app in labels}
    assert applied == {(label, "0001_initial") for label in labels}
