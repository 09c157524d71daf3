"""Closed periods: in them only organisers may change games."""

from datetime import datetime

from django.utils.translation import gettext as _

from league.core.errors import Forbidden
from league.core.ladders.selectors.ladders import load_closed_periods_at
from league.core.permissions import Viewer
from league.models import League


def refuse_closed(viewer: Viewer, league: League, time: datetime) -> None:
    """Raise Forbidden if a time is in a closed period and the viewer is not an organiser."""
    requirement = viewer.missing("organise", league)
    if not requirement:
        return
    for period in load_closed_periods_at(league, time):
        template = _("{period} of {ladder} is closed; this needs {missing}.")
        raise Forbidden(template.format(period=period.name, ladder=period.ladder.title, missing=requirement))
