"""The record of halls: what logs, exports, restores and verification contain of them."""

from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import HALL_VALUES, Hall
from league.core.log_tables import LogTable
from league.core.records import Record
from league.core.text.stored_messages import phrase

KINDS = [kind.value for kind in ChangeKind if kind.startswith("hall.")]
HALL_RECORD = Record(Hall, f"hall=slug {' '.join(HALL_VALUES)}")
HALL_LOG = LogTable(
    HALL_RECORD,
    "halls",
    kinds=KINDS,
    member="hall_settings",
    key="hall",
    name=lambda slug: phrase("The hall {slug}", slug=slug),
    counted=phrase("in halls, compared with the log"),
)
