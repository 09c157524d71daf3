"""The tables of an empty database, made at once from the state after the last migration.

Going through the migrations one by one takes twenty times as long: Django builds the models anew after each, and copies
tables of SQLite. ``tests/models/test_fresh_schema.py`` compares both ways.
"""

from typing import Any

from django.db.migrations import Migration, RunPython, RunSQL
from django.db.migrations.executor import MigrationExecutor

from league.core.db.migrating import make_private


def is_empty(connection: Any) -> bool:
    """Return whether a database has no tables, but for the list of migrations that is created first."""
    return not set(connection.introspection.table_names()) - {"django_migrations"}


def has_pending_migrations(connection: Any) -> bool:
    """Return whether ``migrate`` would change a database, in a fraction of the time that it takes to find nothing."""
    make_private(connection)
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def create_schema(connection: Any) -> int:
    """Create everything in an empty database in one transaction; return the number of migrations that it stands for."""
    executor = MigrationExecutor(connection)
    executor.recorder.ensure_schema()
    plan: list[tuple[Migration, bool]] = executor.migration_plan(executor.loader.graph.leaf_nodes())
    state = executor.loader.project_state()
    with connection.schema_editor() as editor:
        for model in state.apps.get_models():
            if model._meta.managed and not model._meta.proxy:
                editor.create_model(model)
        # Triggers, and sizes for a planner, need the indexes.
        while editor.deferred_sql:
            editor.execute(editor.deferred_sql.pop(0))
        for migration, _ in plan:
            if not type(migration).__module__.startswith("league."):
                continue  # what other packages run moves rows, and there are none
            for operation in migration.operations:
                if isinstance(operation, RunPython | RunSQL):
                    operation.database_forwards(migration.app_label, editor, state, state)
        for migration, _ in plan:
            executor.recorder.record_applied(migration.app_label, migration.name)
    return len(plan)
