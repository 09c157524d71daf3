"""The halls of a league, as lines of an export: one line a hall."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from league.apps.competitions.hall_records import HALL_RECORD
from league.apps.competitions.models import HALL_VALUES, Hall
from league.apps.competitions.services.hall_checks import find_hall_problems
from league.core.errors import Invalid
from league.core.text.display_formats import format_count
from league.core.transfer.export_parts import ExportPart
from league.core.transfer.services.facts import build_row
from league.core.transfer.services.reading import build_shape, make_object_reader, read_list, read_text
from league.models import League, Player

#: Members that have a form of their own -> their readers.
READERS: dict[str, Callable[[Any], Any]] = dict.fromkeys(("rooms", "parts", "planned"), read_list)


class HallsPart(ExportPart):
    """Halls with their rooms and their evening, for arbiters alone as their addresses."""

    kind = "hall"
    left_out = ("halls",)
    shape = {"slug": read_text, "settings": make_object_reader(build_shape(HALL_RECORD, READERS, HALL_VALUES))}

    @staticmethod
    def list_players(league: League, *, for_organisers: bool) -> set[int]:
        """Return nobody: a hall names no players."""
        return set()

    @staticmethod
    def list_rows(league: League, *, for_organisers: bool) -> Iterator[dict[str, Any]]:
        """Yield the halls, the oldest first."""
        for hall in Hall.objects.filter(league=league).order_by("pk"):
            yield {"slug": hall.slug, "settings": HALL_RECORD.serialize(hall, HALL_VALUES)}

    @staticmethod
    def describe_state(league_id: int) -> tuple[object, ...]:
        """Return nothing: every change of a hall is in the log."""
        return ()

    @staticmethod
    def read_line(league: League, values: dict[str, Any], player: Callable[[str], Player]) -> Hall:
        """Return an unsaved hall; raises Invalid."""
        hall: Hall = build_row(HALL_RECORD, league, {"hall": values["slug"], **values["settings"]})
        for problem in find_hall_problems(hall):
            template = _("the hall {slug}: {why}")
            raise Invalid(template.format(slug=hall.slug, why=problem.detail))
        return hall

    @staticmethod
    def write_row(league: League, row: Hall, now: datetime, by: str) -> None:
        """Write a hall, whose log entries are in the file."""
        row.league = league
        row.save(force_insert=True)

    @staticmethod
    def describe_restored(count: int) -> str:
        """Return the number of halls."""
        return f"{format_count(count, 'hall')} restored."
