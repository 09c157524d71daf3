"""Creates, changes and removes halls."""

import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from league.apps.competitions.hall_records import HALL_LOG
from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import Hall
from league.apps.competitions.selectors.audience import SALT
from league.apps.competitions.selectors.halls import find_hall
from league.apps.competitions.services.hall_checks import complete_rooms, find_hall_problems
from league.apps.competitions.services.slugs import check_slug, choose_slug
from league.core.errors import Invalid, Refused
from league.core.locking import locked
from league.core.log.services import entries
from league.core.records import Values
from league.models import League

MAX_HALLS = 50
#: What people give of a hall itself.
GIVEN = ("title", "rooms")


@locked
def create_hall(league: League, now: datetime, slug: str, settings: Mapping[str, Any], *, by: str) -> Hall:
    """Create a hall; an empty slug is derived from the title.

    ``settings``: those of ``GIVEN``. Raises Invalid with a pointer per field, Conflict if the slug is taken, Refused if
    the league has too many.
    """
    if Hall.objects.filter(league=league).count() >= MAX_HALLS:
        raise Refused(_("A league has at most {limit} halls.").format(limit=MAX_HALLS))
    slug = slug or choose_slug(Hall, league, settings.get("title") or "")
    hall = Hall(league=league, slug=slug, created_at=now, created_by=by)
    _apply(hall, settings)
    check_slug(hall)
    hall.save(force_insert=True)
    append_hall_change(league, now, by, ChangeKind.HALL_CREATED, hall)
    return hall


@locked
def change_hall(league: League, now: datetime, slug: str, settings: Mapping[str, Any], *, by: str) -> Hall:
    """Change the name and the rooms of a hall. Places that are planned stay: conflicts show what no longer fits."""
    hall = find_hall(league, slug)
    before = [getattr(hall, name) for name in GIVEN]
    _apply(hall, settings)
    if [getattr(hall, name) for name in GIVEN] != before:
        hall.save(update_fields=list(GIVEN))
        append_hall_change(league, now, by, ChangeKind.HALL_CHANGED, hall)
    return hall


@locked
def remove_hall(league: League, now: datetime, slug: str, *, by: str) -> None:
    """Remove a hall; its fixtures keep their tables and times."""
    hall = find_hall(league, slug)
    hall.delete()
    _append(league, now, by, ChangeKind.HALL_REMOVED, hall, {"removed": {"hall_settings": [hall.slug]}})


def append_hall_change(league: League, now: datetime, by: str, kind: ChangeKind, hall: Hall) -> None:
    """Append an entry with a hall; the league must be locked."""
    _append(league, now, by, kind, hall, {"hall_settings": HALL_LOG.build_payload(hall)})


def _append(league: League, now: datetime, by: str, kind: ChangeKind, hall: Hall, tables: Values) -> None:
    entries.append(league, now, by, kind, {"hall": hall.slug, **tables, SALT: secrets.token_hex(16)})


def _apply(hall: Hall, settings: Mapping[str, Any]) -> None:
    """Set and check what is given of a hall; raises Invalid with all problems."""
    for name in GIVEN:
        if name in settings:
            setattr(hall, name, complete_rooms(settings[name]) if name == "rooms" else settings[name])
    problems = list(find_hall_problems(hall))
    if problems:
        raise Invalid.of(problems)
