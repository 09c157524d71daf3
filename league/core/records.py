"""Records: a table of facts is declared once, beside its model.

A record names its members, the values that exports contain: ``name``, or ``name=path`` if the value is a field of
another name or of a related row (``player=player.handle``). Types, bounds and nullability are those of the field at the
end of the path. The tables of the log choose from these members (``log_tables``).

Export lines and their reading, the payloads of the log, the comparison in ``verify``, and the schemas of all these in
the API's document follow from the declarations (``docs/contributors/add-a-fact.md``).
"""

from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import cached_property
from itertools import islice
from typing import Any
from uuid import UUID

from django.db.models import Model, QuerySet

from league.core.text.instants import format_instant

Values = dict[str, Any]
#: The field that names a player outside the database.
HANDLE = "handle"
#: Rows read per query.
BATCH = 1000


def format_value(value: Any) -> Any:
    """Return a value in JSON types, as exports and logs contain it."""
    if isinstance(value, datetime):
        return format_instant(value)
    if isinstance(value, bytes | memoryview):
        return b64encode(value).decode()
    return str(value) if isinstance(value, date | UUID) else value


def leave_out(values: Values, omit: Mapping[str, Any]) -> Values:
    """Return values without those that are omitted."""
    return {name: value for name, value in values.items() if name not in omit or value != omit[name]}


class Member:
    """A value of a row: its name outside, and the path of fields that leads to it from the row's model."""

    def __init__(self, model: type[Model], name: str, path: str) -> None:
        self.model, self.name, self.path = model, name, path.split(".")

    def build_lookup(self, player_field: str = HANDLE) -> str:
        """Return the lookup of the value in queries; ``player_field`` names players."""
        return "__".join(player_field if name == HANDLE else name for name in self.path)

    @cached_property
    def fields(self) -> list[Any]:
        """Return the fields of the path; raises FieldDoesNotExist."""
        model: Any = self.model
        fields = []
        for name in self.path:
            fields.append(model._meta.get_field(name))
            model = fields[-1].related_model
        return fields

    @property
    def is_nullable(self) -> bool:
        """Return whether the value may be None."""
        return any(field.null for field in self.fields)

    def read(self, row: Any, player_field: str = HANDLE) -> Any:
        """Return the value of a row in JSON types; ``player_field`` names players."""
        for name in self.path:
            row = row if row is None else getattr(row, player_field if name == HANDLE else name)
        return format_value(row)


class Record:
    """A table of facts: the members of its rows, in the order of exports.

    ``omit``: values that are left out of logs and exports. ``unlogged``: field -> why no log table has it.
    ``children``: member -> record of the rows that belong to a row. These name their ``parent``, repeat its field
    ``within``, and are in the order of ``position`` (1, 2, 3 …) if no member of theirs tells it. Exports have the only
    member of ``flat`` ones.
    """

    def __init__(
        self,
        model: type[Model],
        members: str,
        *,
        order_by: str = "pk",
        omit: Mapping[str, Any] | None = None,
        children: "Mapping[str, Record] | None" = None,
        parent: str = "",
        within: str = "",
        position: str = "",
        flat: bool = False,
        unlogged: Mapping[str, str] | None = None,
    ) -> None:
        pairs = [text.partition("=") for text in members.split()]
        self.model, self.order_by = model, (position or order_by).split()
        self.within, self.position, self.flat = within, position, flat
        self.omit, self.children, self.parent = omit or {}, children or {}, parent
        self.members = {name: Member(model, name, path or name) for name, _, path in pairs if name not in self.children}
        #: What lines contain: a row that is inside the line of its parent does not repeat what names the parent.
        self.names = [name for name, _, path in pairs if not (parent and path.startswith(f"{parent}."))]
        self.line = {name: self.members[name] for name in self.names if name not in self.children}
        self.unlogged = unlogged or {}

    def get_members(self, names: str) -> dict[str, Member]:
        """Return members by other names: each ``name`` or ``name=member``."""
        pairs = (text.partition("=") for text in names.split())
        return {name: self.members[member or name] for name, _, member in pairs if name not in self.children}

    def serialize(self, row: Any, names: Iterable[str] = ()) -> Values:
        """Return a row, or some of its members, in JSON types, as exports contain it."""
        return leave_out({name: self.members[name].read(row) for name in names or self.line}, self.omit)

    def serialize_rows(self, rows: QuerySet[Any], chunk_size: int = BATCH) -> Iterator[Values]:
        """Yield stored rows of a league, with their children, as exports contain them."""
        for row in self.read_rows(rows.order_by(*self.order_by), self.line, self.children, chunk_size=chunk_size):
            yield leave_out({name: row[name] for name in self.names}, self.omit)

    def open_line(self, line: Any, position: int) -> Values:
        """Return the members of a child's line in an export, and its position."""
        members: Values = dict(zip(self.line, [line], strict=True)) if self.flat else line
        return {self.position: position, **members}

    def read_rows(
        self,
        rows: QuerySet[Any],
        members: Mapping[str, Member],
        children: "Mapping[str, Record]",
        *,
        logged: bool = False,
        chunk_size: int = BATCH,
    ) -> Iterator[Values]:
        """Yield members and children of stored rows of a league, by their names."""
        lookups = [member.build_lookup() for member in members.values()]
        stored = rows.values_list("pk", "league", *lookups).iterator(chunk_size)
        while chunk := list(islice(stored, chunk_size)):
            pks, league = [pk for pk, *_ in chunk], chunk[0][1]
            lines = {name: child.read_children(league, pks, logged=logged) for name, child in children.items()}
            for pk, _, *values in chunk:
                row = dict(zip(members, map(format_value, values), strict=True))
                yield row | {name: found[pk] for name, found in lines.items()}

    def read_children(
        self, league: int, parents: Sequence[int], *, logged: bool, player_field: str = HANDLE
    ) -> defaultdict[int, list[Any]]:
        """Return the rows of these parents, by their keys: as exports have them, or the log.

        In the log's form, a row with a wrong position or ``within`` has it as a member, which no log has.
        """
        lookups = [member.build_lookup(player_field) for member in self.line.values()]
        rows = self.model._default_manager.filter(league=league, **{f"{self.parent}__in": parents})
        places = [f"{self.parent}_id", self.position or "pk"]
        places += [f"{self.within}_id", f"{self.parent}__{self.within}_id"] if self.within else ["pk", "pk"]
        found: defaultdict[int, list[Any]] = defaultdict(list)
        ordered = rows.order_by(self.parent, *self.order_by)
        for pk, position, own, wanted, *values in ordered.values_list(*places, *lookups):
            line = leave_out(dict(zip(self.line, map(format_value, values), strict=True)), self.omit)
            if logged and self.position and position != len(found[pk]) + 1:
                line[self.position] = position
            if logged and own != wanted:
                line[self.within] = own
            found[pk].append(values[0] if self.flat and not logged else line)
        return found
