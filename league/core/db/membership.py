"""``__in`` and ``prefetch_related`` for any number of values: many are passed as one parameter.

Django writes a placeholder for each value, and on SQLite a prefetch of the other side of a foreign key writes an OR for
each. A thousand rows exceed the depth of SQLite's expressions, and more the number of parameters. Django asks a lookup
for ``as_sqlite`` and ``as_postgresql`` first, so all lookups of lists in all apps come here.
"""

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db.models import BooleanField, Expression, F
from django.db.models.expressions import ColPairs
from django.db.models.fields.tuple_lookups import TupleIn
from django.db.models.lookups import In

from league.core.db.statements import ARRAY_KINDS, build_any_condition

#: Up to this number of values have a placeholder each: the planner estimates short lists better.
FEW = 100
LEAST, MOST = -(2**63), 2**63 - 1
KINDS = tuple(ARRAY_KINDS)


def compile_in(lookup: Any, compiler: Any, connection: Any) -> tuple[str, Any]:
    """Return the SQL and the parameters of an ``In`` lookup."""
    if not lookup.rhs_is_direct_value():
        return lookup.as_sql(compiler, connection)  # type: ignore[no-any-return]  # Django is untyped here
    if isinstance(lookup, TupleIn) and len(lookup.lhs) == 1:
        (column,) = lookup.lhs.get_cols() if isinstance(lookup.lhs, ColPairs) else lookup.lhs
        return compiler.compile(In(column, [value for (value,) in lookup.rhs]))  # type: ignore[no-any-return]
    if len(lookup.rhs) <= FEW or isinstance(lookup.lhs, ColPairs):
        return lookup.as_sql(compiler, connection)  # type: ignore[no-any-return]
    given = [value for value in dict.fromkeys(lookup.rhs) if value is not None]
    # Django would also build a placeholder and a tuple of parameters for each value.
    _placeholder, values = lookup.get_db_prep_lookup(given, connection)
    if not all(isinstance(value, KINDS) for value in values[:1]):
        return lookup.as_sql(compiler, connection)  # type: ignore[no-any-return]
    column_sql, parameters = lookup.process_lhs(compiler, connection)
    # No column holds a whole number of more than 64 bits. These may be of a subclass of int, so no range is asked:
    # it would count up to each of them.
    values = [value for value in values if not isinstance(value, int) or LEAST <= value <= MOST]
    if not values:
        raise EmptyResultSet
    condition, parameter = build_any_condition(column_sql, values)
    return condition, (*parameters, parameter)


class AnyOf(Expression):
    """The condition that a column has one of many of our own keys: ``filter(AnyOf("player_id", ids))``.

    A batch of games asks for thousands, and ``__in`` looks at each of them five times before the statement is written.
    """

    def __init__(self, column: str, keys: Sequence[int]) -> None:
        super().__init__(output_field=BooleanField())
        self.column: Any = F(column)
        self.keys = keys

    def get_source_expressions(self) -> list[Any]:
        """Return the column."""
        return [self.column]

    def set_source_expressions(self, exprs: Sequence[Any]) -> None:
        """Set the column, once it is known which it is."""
        (self.column,) = exprs

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        """Return the SQL, and the keys as its one parameter."""
        if not self.keys:
            raise EmptyResultSet
        column, parameters = compiler.compile(self.column)
        condition, parameter = build_any_condition(column, self.keys)
        return condition, (*parameters, parameter)


def install() -> None:
    """Compile the lookups of lists of both databases here."""
    for name in ("as_sqlite", "as_postgresql"):
        setattr(In, name, compile_in)
