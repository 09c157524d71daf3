"""The columns of a pasted table that an organiser chose, which are remembered for the same headings."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils import timezone

from league.apps.imports.models import PasteColumns
from league.apps.imports.paste import roles
from league.apps.imports.paste.roles import SheetFields, TableRoles
from league.apps.imports.paste.text import Grid
from league.core.text.names import build_name_key
from league.core.text.written_days import DayOrder
from league.models import League

#: Maximum number of table headings remembered per league, the last used.
MAX_HEADS = 50
#: What comes first in days such as 11/06.
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
        merged_roles = tuple(self.roles.get(index, role) for index, role in enumerate(columns.roles))
        return replace(columns, roles=merged_roles)


def hash_head(grid: Grid, columns: TableRoles) -> str:
    """Hash a table's headings, "" without headings."""
    if not columns.head:
        return ""
    return hashlib.sha256(json.dumps([build_name_key(cell) for cell in grid.rows[0].cells]).encode()).hexdigest()


def list_roles(fields: SheetFields) -> set[str]:
    """Return the roles that columns can have."""
    declared = {roles.VALUE_PREFIX + key for key in fields.values}
    return {*ROLES, *declared, *(roles.FIELD_PREFIX + key for key in fields.game_fields)}


def load_columns(league: League, grid: Grid, columns: TableRoles, fields: SheetFields) -> RememberedColumns:
    """Load the remembered columns for these headings, as far as the league's system still has them."""
    head = hash_head(grid, columns)
    row = PasteColumns.objects.filter(league=league, head=head).first() if head else None
    if row is None:
        return RememberedColumns()
    valid_roles = list_roles(fields)
    saved: dict[str, Any] = row.said
    saved_roles = {int(index): role for index, role in saved.get("roles", {}).items() if role in valid_roles}
    return RememberedColumns(saved_roles, ORDERS.get(saved.get("order", ""), ""))


def save_columns(league: League, grid: Grid, guessed: TableRoles, columns: TableRoles, order: DayOrder) -> None:
    """Save roles that differ from the guess, or delete the saved ones. The league must be locked."""
    head = hash_head(grid, guessed)
    if not head:
        return
    pairs = enumerate(zip(guessed.roles, columns.roles, strict=True))
    differs = {str(index): role for index, (guess, role) in pairs if guess != role}
    league_columns = PasteColumns.objects.filter(league=league)
    if not differs and not order:
        league_columns.filter(head=head).delete()
        return
    saved = {"roles": differs, "order": order}
    league_columns.update_or_create(league=league, head=head, defaults={"said": saved, "used_at": timezone.now()})
    newest_ids = league_columns.order_by("-used_at", "-pk").values_list("pk", flat=True)[:MAX_HEADS]
    league_columns.exclude(pk__in=list(newest_ids)).delete()
