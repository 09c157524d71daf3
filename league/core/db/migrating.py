"""Migrations beside a running site: nothing waits long for a lock, so that no user has to wait for what waits."""

import os
from pathlib import Path
from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations import AddField, AddIndex
from django.db.migrations.state import ProjectState

#: Seconds that a statement of a migration waits for a lock: whoever comes after it waits as long.
LOCK_WAIT = 2
#: How often a migration that got no lock is tried, and seconds between two tries at most.
TRIES, PAUSE = 30, 10.0


class AddIndexQuietly(AddIndexConcurrently):
    """Add an index while others write: CONCURRENTLY on PostgreSQL, as ever on SQLite. Wants ``atomic = False``.

    One that was left half made by an earlier try is dropped first, and rebuilt. Building takes no
    lock that a writer waits for, and so waits itself for whoever is at it, without a limit.
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
        """Remove it."""
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
    """Let statements wait for locks as long as it takes: only for those that no one waits for."""

    def __init__(self, editor: BaseDatabaseSchemaEditor) -> None:
        self.connection = editor.connection

    def __enter__(self) -> None:
        """Lift the limit."""
        self.set("0")

    def __exit__(self, *error: object) -> None:
        """Put it back."""
        self.set(f"{LOCK_WAIT}s")

    def set(self, limit: str) -> None:
        """Set how long a lock is waited for."""
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT set_config('lock_timeout', %s, false)", [limit])


def drop_half_made(editor: BaseDatabaseSchemaEditor, name: str) -> None:
    """Drop an index that an interrupted CREATE INDEX CONCURRENTLY left: it is kept up to date, and used by no one."""
    with editor.connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
            "WHERE c.relname = %s AND NOT i.indisvalid",
            [name],
        )
        if cursor.fetchone():
            cursor.execute(f"DROP INDEX CONCURRENTLY {editor.quote_name(name)}")


def make_private(connection: Any) -> None:
    """Make the file of an SQLite site as its owner's alone, before SQLite makes it for all who have an account there.

    What lies beside it while it is used has its mode. A file that is there is left as someone wanted it.
    """
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite" and not name.startswith((":", "file:")) and not Path(name).exists():
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY, 0o600))


def for_migrations(connection: Any) -> None:
    """Let a connection's statements take the time they need, and wait for locks no longer than LOCK_WAIT."""
    if connection.vendor != "postgresql" or connection.in_atomic_block:
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', '0', false)")
        cursor.execute("SELECT set_config('idle_in_transaction_session_timeout', '0', false)")
        cursor.execute("SELECT set_config('lock_timeout', %s, false)", [f"{LOCK_WAIT}s"])
