"""Remembers a league's column roles, and proposes them for texts with the same headings."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils import timezone

from league.apps.imports.models import PasteColumns
from league.apps.imports.paste import roles
from league.apps.imports.paste.days import DayOrder
from league.apps.imports.paste.roles import SheetFields, TableRoles
from league.apps.imports.paste.text import Grid
from league.core.text.names import key_of
from league.models import League

#: Maximum number of table headings remembered per league, the last used.
MAX_HEADS = 50
ORDERS: Mapping[str, DayOrder] = {"day": "day", "month": "month"}
ROLES = frozenset(
    (
        *roles.ROLES_BEFORE_NUMBER,
        *roles.NAME_ROLES,
        roles.DAY,
        roles.TIME,
        roles.GAME,
        roles.SCORE,
        roles.PLACE,
        roles.PERSON,
    )
)


@dataclass(frozen=True)
class RememberedColumns:
    """Remembered answers: position of a column -> its role, and what comes first in 11/06."""

    roles: Mapping[int, str] = field(default_factory=dict)
    order: DayOrder = ""

    def apply_to(self, columns: TableRoles) -> TableRoles:
        """Return columns with the remembered roles."""
        said = tuple(self.roles.get(index, role) for index, role in enumerate(columns.roles))
        return replace(columns, roles=said)


NO_COLUMNS = RememberedColumns()


def hash_head(grid: Grid, columns: TableRoles) -> str:
    """Hash a table's headings, "" without headings."""
    if not columns.head:
        return ""
    return hashlib.sha256(json.dumps([key_of(cell) for cell in grid.rows[0].cells]).encode()).hexdigest()


def load_columns(league: League, grid: Grid, columns: TableRoles, fields: SheetFields) -> RememberedColumns:
    """Load the remembered columns for these headings, as far as the league's system still has them."""
    head = hash_head(grid, columns)
    row = PasteColumns.objects.filter(league=league, head=head).first() if head else None
    if row is None:
        return NO_COLUMNS
    known = ROLES | {roles.FIELD_PREFIX + key for key in fields.game_fields}
    said: dict[str, Any] = row.said
    found = {int(index): role for index, role in said.get("roles", {}).items() if role in known}
    return RememberedColumns(found, ORDERS.get(said.get("order", ""), ""))


def save_columns(league: League, grid: Grid, guessed: TableRoles, columns: TableRoles, order: DayOrder) -> None:
    """Save roles that differ from the guess, or delete the saved ones. The league must be locked."""
    head = hash_head(grid, guessed)
    if not head:
        return
    pairs = enumerate(zip(guessed.roles, columns.roles, strict=True))
    differs = {str(index): role for index, (guess, role) in pairs if guess != role}
    own = PasteColumns.objects.filter(league=league)
    if not differs and not order:
        own.filter(head=head).delete()
        return
    said = {"roles": differs, "order": order}
    own.update_or_create(league=league, head=head, defaults={"said": said, "used_at": timezone.now()})
    kept = own.order_by("-used_at", "-pk").values_list("pk", flat=True)[:MAX_HEADS]
    own.exclude(pk__in=list(kept)).delete()
