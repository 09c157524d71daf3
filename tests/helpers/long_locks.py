"""What in a migration would lock a table for long, or break the release before it: in sentences."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.contrib.postgres.operations import AddConstraintNotValid, ValidateConstraint
from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models.expressions import Value
from django.db.models.fields import NOT_PROVIDED

from league.core.db.migrating import AddIndexQuietly

#: What a field says that no database hears of.
UNHEARD = {
    "choices", "help_text", "verbose_name", "validators", "blank", "editable", "default", "related_name",
    "limit_choices_to", "error_messages", "on_delete", "related_query_name",
}  # fmt: skip
#: What takes a moment, or nothing that anybody waits for.
SHORT = (
    migrations.CreateModel, migrations.AlterModelOptions, migrations.AlterModelManagers, migrations.RemoveIndex,
    migrations.RemoveConstraint, AddIndexQuietly, AddConstraintNotValid, ValidateConstraint,
)  # fmt: skip
NEXT = "old code still uses it: do it one release later"


def long_locks(migration: migrations.Migration, state: ProjectState, new: set[str]) -> list[str]:
    """Return what is wrong with a migration that follows a state; ``new`` are the models that no release has yet.

    ``new`` grows by what the migration makes.
    """
    found = []
    for operation in flat(migration.operations):
        model = str(getattr(operation, "model_name", "")).lower()
        if isinstance(operation, migrations.CreateModel):
            new.add(operation.name.lower())
        if model not in new or isinstance(operation, migrations.RunPython | migrations.RunSQL):
            found += [f"{migration.name}: {problem}" for problem in problems(operation, migration, state)]
        operation.state_forwards("league", state)
    return found


def flat(operations: Iterable[Operation]) -> Iterator[Operation]:
    """Yield operations, and those inside of others."""
    for operation in operations:
        if isinstance(operation, migrations.SeparateDatabaseAndState):
            yield from flat(operation.database_operations)
        else:
            yield operation


def problems(operation: Operation, migration: migrations.Migration, state: ProjectState) -> Iterator[str]:
    """Yield what is wrong with one operation on a table that stands."""
    what = operation.describe()
    if isinstance(operation, AddIndexQuietly) and migration.atomic:
        yield f"{what}: needs atomic = False"
    elif isinstance(operation, SHORT):
        return
    elif isinstance(operation, migrations.AddField):
        yield from (f"{what}: {problem}" for problem in field_problems(operation.field))
    elif isinstance(operation, migrations.AlterField):
        before = state.models["league", operation.model_name.lower()].fields[operation.name]
        if heard(before) != heard(operation.field) and not drops_check(before, operation.field):
            yield f"{what}: the table may be written anew; add a new field, fill it, and drop the old one later"
    elif isinstance(operation, migrations.RunPython | migrations.RunSQL):
        if migration.atomic and not getattr(migration, "short", ""):
            yield f"{what}: one transaction over rows; atomic = False and parts, or say short = why it is short"
    elif isinstance(operation, migrations.AddIndex):
        yield f"{what}: writers wait while it is built; league.core.db.migrating.AddIndexQuietly"
    elif isinstance(operation, migrations.AddConstraint):
        if not getattr(migration, "short", ""):
            advice = "AddConstraintNotValid, then ValidateConstraint, or say short = why it is short"
            yield f"{what}: the table is read under a lock; {advice}"
    else:
        yield f"{what}: {NEXT}"


def field_problems(field: "models.Field[Any, Any]") -> Iterator[str]:
    """Yield what is wrong with a field that is added to a table that stands."""
    default = field.db_default
    if not field.null and default is NOT_PROVIDED:
        yield "old code inserts rows without it; null=True or db_default="
    if default is not NOT_PROVIDED and hasattr(default, "resolve_expression") and not isinstance(default, Value):
        yield "its default may be computed for each row; a plain value"
    if field.unique or getattr(field, "db_index", False):
        yield "its index is built while writers wait; db_index=False and AddIndexQuietly"
    if field.remote_field is not None and getattr(field, "db_constraint", False):
        yield "its foreign key locks both tables; db_constraint=False"


def drops_check(before: "models.Field[Any, Any]", after: "models.Field[Any, Any]") -> bool:
    """Return whether a column only loses the check that it is not negative: PostgreSQL reads no row for that."""
    return (type(before), type(after)) == (models.PositiveIntegerField, models.IntegerField)


def heard(field: "models.Field[Any, Any]") -> tuple[str, dict[str, Any]]:
    """Return what a database hears of a field."""
    _, path, _, keywords = field.deconstruct()
    return path, {name: value for name, value in keywords.items() if name not in UNHEARD}
