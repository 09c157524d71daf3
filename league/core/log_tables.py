"""Tables of the log: the rows that its entries record, under the names of the log.

Payloads of entries, the comparison in ``verify`` and the schemas of payloads follow from a table, which is declared
beside its model.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from league.core.log.chain import compute_digest, serialize_canonically
from league.core.records import Record, Values, format_value, leave_out
from league.core.text.stored_messages import StoredMessage

#: The field that names a player in the log, which can never be edited.
OPAQUE = "opaque"


class FactTable:
    """A table that ``verify`` compares with the log.

    ``read`` yields the keys and members of a league's rows, given the league and the ``LogReplay``. ``kinds``: those of
    the entries whose payload is a row, or has rows in ``member``; ``defaults``: values that may be missing there.
    ``key``: the members that name a row, alternatives with ``|``. ``name`` returns the name of a row for messages;
    ``counted`` ends the message that counts further differences; some tables count ``under`` another one. The rows of
    tables ``of_site`` are not restored from an export.
    """

    def __init__(
        self,
        title: str,
        read: Callable[[Any, Any], Iterator[tuple[Any, Mapping[str, Any]]]],
        name: Callable[..., StoredMessage],
        counted: StoredMessage | None = None,
        *,
        kinds: Sequence[str] = (),
        key: str = "",
        member: str = "",
        defaults: Mapping[str, Any] | None = None,
        under: str = "",
        of_site: bool = False,
    ) -> None:
        self.title, self.read, self.name, self.kinds = title, read, name, kinds
        self.key, self.member, self.defaults = [names.split("|") for names in key.split()], member, defaults or {}
        self.category, self.counted, self.of_site = under or title, counted, of_site

    def make_key(self, row: Mapping[str, Any]) -> Any:
        """Return the key of a row: one value or a tuple."""
        key = tuple(next((row[name] for name in names if row[name] is not None), None) for names in self.key)
        return key if len(key) > 1 else key[0]


class LogTable(FactTable):
    """A table of facts that contains rows of a record.

    ``payload``: the members in the payload of an entry; if it is not given, all but the stated ones, some ``renamed``.
    ``omit`` has values that are left out, ``beside`` the members that only readers need. ``sealed``: members that not
    everyone may read, of which the payload has a ``seal``. ``stated``: compared members that follow from the entry's
    time, author or position, or from other entries. ``none``: the columns of rows that no entry recorded.
    """

    def __init__(
        self,
        record: Record,
        title: str,
        *,
        payload: str = "",
        renamed: str = "",
        stated: str = "",
        beside: str = "",
        sealed: str = "",
        omit: Mapping[str, Any] | None = None,
        none: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(title, **{"read": self.read_stored, **options})
        self.record, self.none = record, none or {}
        payload = payload or _list_payload(record, renamed, stated)
        self.children = {name: child for name, child in record.children.items() if name in payload.split()}
        self.payload = record.get_members(payload)
        self.compared = record.get_members(f"{payload} {stated}")
        self.sealed = record.get_members(sealed)
        for name in beside.split():
            del self.compared[name]
        usual = {name: record.omit[member.name] for name, member in self.payload.items() if member.name in record.omit}
        self.omit = {**usual, **(omit or {})}
        self.defaults = {**self.omit, **self.defaults}

    def build_payload(self, row: Any, **known: Any) -> Values:
        """Return a row as its entry has it, with opaque handles of players; ``known`` members are not read."""
        values = {name: member.read(row, OPAQUE) for name, member in self.payload.items() if name not in known}
        values |= self._seal({name: member.read(row) for name, member in self.sealed.items()})
        return leave_out({**values, **known}, self.omit)

    def _seal(self, values: Values) -> Values:
        """Return the member with the seal of values, if the table has sealed ones."""
        omitted = leave_out(values, self.record.omit)
        return {"seal": compute_digest(serialize_canonically(omitted))} if self.sealed else {}

    def build_payloads(self, rows: Iterable[Any], **known: Any) -> list[Values]:
        """Return rows of a league as entries have them, with their stored children."""
        rows = list(rows)
        if not rows:
            return []
        pks, league = [row.pk for row in rows], rows[0].league_id
        lines = {
            name: child.read_children(league, pks, logged=True, player_field=OPAQUE)
            for name, child in self.children.items()
        }
        return [
            self.build_payload(row, **known, **{name: found[row.pk] for name, found in lines.items()}) for row in rows
        ]

    def make_line_key(self, line: Mapping[str, Any]) -> Any:
        """Return the key of a row from its line in an export, read."""
        named = ((name, member.name) for name, member in self.compared.items())
        return self.make_key({name: format_value(line[member]) for name, member in named if member in line})

    def find_rows(self, league: Any, row: Mapping[str, Any]) -> Any:
        """Return the query of the stored rows with the key of a row; members that it lacks are not compared."""
        key = {self.compared[name].build_lookup(): row[name] for names in self.key for name in names if name in row}
        return self.record.model._default_manager.filter(league=league, **key)

    def read_stored(self, league: Any, log: Any = None) -> Iterator[tuple[Any, Values]]:
        """Yield the keys and the compared members of a league's rows, as the log has them."""
        rows = self.record.model._default_manager.filter(league=league).order_by("pk")
        stored = rows.exclude(**self.none) if self.none else rows
        members = {**self.compared, **self.sealed}
        for row in self.record.read_rows(stored, members, self.children, logged=True):
            seal = self._seal({name: row[name] for name in self.sealed})
            compared = {name: row[name] for name in (*self.compared, *self.children)}
            yield self.make_key(row), {**compared, **seal}


def _list_payload(record: Record, renamed: str, stated: str) -> str:
    """Return the names of a record's members that are not stated, some renamed."""
    others = {member.name for member in record.get_members(stated).values()}
    names = {member.name: f"{name}={member.name}" for name, member in record.get_members(renamed).items()}
    return " ".join(names.get(name, name) for name in (*record.members, *record.children) if name not in others)
