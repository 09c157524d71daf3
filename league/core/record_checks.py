"""System check (``manage.py check``): every path of every record leads to a field."""

from collections.abc import Iterator
from typing import Any

from django.core.checks import CheckMessage, Error
from django.core.exceptions import FieldDoesNotExist

from league.core.log_tables import LogTable
from league.core.records import Record


def list_log_tables() -> list[LogTable]:
    """Return the tables of the log that contain rows of a record, those of the installed apps too."""
    from league.core.verify.facts import load_fact_tables

    return [table for table in load_fact_tables() if isinstance(table, LogTable)]


def list_records() -> list[Record]:
    """Return the records with rows in the log or in exports."""
    from league.core.transfer.services.reading import RECORDS

    records = [*RECORDS.values(), *(table.record for table in list_log_tables())]
    return list(dict.fromkeys([*records, *(child for record in records for child in record.children.values())]))


def check_records(**options: Any) -> list[CheckMessage]:
    """Return an error for each path that leads to no field."""
    return [Error(message, id="league.E001") for record in list_records() for message in find_problems(record)]


def find_problems(record: Record) -> Iterator[str]:
    """Yield a message for each path of a record that leads to no field, and for each name that is no member."""
    for member in record.members.values():
        try:
            member.fields  # noqa: B018
        except (FieldDoesNotExist, AttributeError):
            yield f"The record of {record.model.__name__} has the path {member.path}, which leads to no field."
    for name in (*record.omit, *record.children):
        if name not in record.names:
            yield f"The record of {record.model.__name__} has no member {name}."
