"""Migrations of a running site: statements do not wait long for locks, so that users are not blocked behind them."""

import os
from pathlib import Path
from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations import AddField, AddIndex
from django.db.migrations.state import ProjectState

#: Seconds that a migration waits for a lock; others queue behind it for as long.
LOCK_WAIT = 2
#: Maximum attempts of a migration that gets no lock, and maximum seconds between attempts.
TRIES, PAUSE = 30, 10.0


class AddIndexQuietly(AddIndexConcurrently):
    """Add an index while others write: CONCURRENTLY on PostgreSQL, as usual on SQLite. Requires ``atomic = False``.

    An invalid index left by an earlier attempt is dropped first. Building takes no lock that blocks
    writers, so it may wait for others without limit.
    """

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Add the index."""
        if schema_editor.connection.vendor != "postgresql":
            AddIndex.database_forwards(self, app_label, schema_editor, from_state, to_state)
            return
        with PatientLocks(schema_editor):
            drop_half_made(schema_editor, self.index.name)
            super().database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Remove the index."""
        if schema_editor.connection.vendor != "postgresql":
            AddIndex.database_backwards(self, app_label, schema_editor, from_state, to_state)
            return
        with PatientLocks(schema_editor):
            super().database_backwards(app_label, schema_editor, from_state, to_state)


class AddColumn(AddField):
    """Add a column with a constant default by ALTER TABLE: Django would copy an SQLite table and lose its triggers."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Add the column."""
        model = to_state.apps.get_model(app_label, self.model_name)
        BaseDatabaseSchemaEditor.add_field(schema_editor, model, model._meta.get_field(self.name))


class PatientLocks:
    """Lets statements wait for locks without limit, if no others wait behind them."""

    def __init__(self, editor: BaseDatabaseSchemaEditor) -> None:
        self.connection = editor.connection

    def __enter__(self) -> None:
        """Disable the lock timeout."""
        self.set("0")

    def __exit__(self, *error: object) -> None:
        """Restore the lock timeout."""
        self.set(f"{LOCK_WAIT}s")

    def set(self, limit: str) -> None:
        """Set the lock timeout."""
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT set_config('lock_timeout', %s, false)", [limit])


def drop_half_made(editor: BaseDatabaseSchemaEditor, name: str) -> None:
    """Drop an invalid index left by an interrupted CREATE INDEX CONCURRENTLY, which is maintained but unused."""
    with editor.connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
            "WHERE c.relname = %s AND NOT i.indisvalid",
            [name],
        )
        if cursor.fetchone():
            cursor.execute(f"DROP INDEX CONCURRENTLY {editor.quote_name(name)}")


def make_private(connection: Any) -> None:
    """Create the SQLite file readable only by its owner, as SQLite itself would use the umask.

    SQLite's temporary files get the same mode. An existing file is not changed.
    """
    file = Path(name := str(connection.settings_dict["NAME"]))
    is_file = connection.vendor == "sqlite" and not name.startswith((":", "file:"))
    if is_file and not file.exists() and file.parent.is_dir():
        os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600))


def set_migration_timeouts(connection: Any) -> None:
    """Disable a connection's statement timeout, and limit its lock timeout to LOCK_WAIT."""
    if connection.vendor != "postgresql" or connection.in_atomic_block:
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', '0', false)")
        cursor.execute("SELECT set_config('idle_in_transaction_session_timeout', '0', false)")
        cursor.execute("SELECT set_config('lock_timeout', %s, false)", [f"{LOCK_WAIT}s"])
