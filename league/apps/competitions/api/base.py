"""The base of the views of a competition, preconditions, and fields of its bodies."""

from collections.abc import Callable
from datetime import date, datetime, time
from typing import Any, TypeVar

from drf_spectacular.utils import OpenApiParameter, extend_schema_field

from league.apps.competitions.models import MAX_NUMBER, MAX_ROUNDS, Competition, Season
from league.apps.competitions.selectors.competition_data import LoadedCompetition, load_competition
from league.apps.competitions.selectors.competitions import find_competition
from league.apps.competitions.services.regulations import MAX_CONFIRMED
from league.core.calendar import get_time_zone, start_of_day
from league.core.locking import run_with_league_lock
from league.models import League
from league.web.api.core.base import Endpoint, parse_day, parse_query
from league.web.api.core.inputs import Moment, StrictSerializer, TextListField
from league.web.api.core.responses import ApiProblem, has_precondition, meets_precondition
from league.web.api.openapi.described import MOMENT

T = TypeVar("T")
IF_MATCH = OpenApiParameter("If-Match", str, OpenApiParameter.HEADER, description="The ETag as you read it.")
#: Schemas of the numbers of rounds and entries.
ROUND_NUMBER = {"type": "integer", "minimum": 1, "maximum": MAX_ROUNDS}
ENTRY_NUMBER = {"type": "integer", "minimum": 1, "maximum": MAX_NUMBER}
#: The last minute of a day.
LAST_MINUTE = time(23, 59)


@extend_schema_field(MOMENT)
class DayOrMoment(Moment):
    """A date in the competition's time zone, or a time with offset."""

    def to_internal_value(self, value: Any) -> Any:
        """Return a date or a time."""
        day = parse_day(value) if isinstance(value, str) and value.isascii() else None
        return day if day is not None and day.year >= 2 else super().to_internal_value(value)


def build_confirm_field() -> TextListField:
    """Return the field of the warnings that are confirmed."""
    return TextListField(
        most=MAX_CONFIRMED,
        required=False,
        default=list,
        help_text="Codes of warnings that are confirmed; one of level 4 twice.",
    )


def convert_day(value: date | datetime | None, time_zone: str, *, is_end: bool = False) -> datetime | None:
    """Return a time: that at which a day begins, or the last minute of the day."""
    if value is None or isinstance(value, datetime):
        return value
    if is_end:
        return datetime.combine(value, LAST_MINUTE, get_time_zone(time_zone))
    return start_of_day(value, time_zone)


class CompetitionEndpoint(Endpoint):
    """Base of the views of a competition."""

    def is_arbiter(self, league: League) -> bool:
        """Return whether the viewer runs competitions of a league, so that they see drafts and unpublished rounds."""
        arbitrates = self.viewer.may("arbitrate", league)
        self.closed = self.closed or arbitrates
        return arbitrates

    def competition(self, league: str, slug: str, action: str = "") -> Competition:
        """Return a competition that the viewer may see; raises 401, 403 or 404."""
        the_league = self.league(league, action)
        return find_competition(the_league, slug, for_organisers=self.is_arbiter(the_league))

    def bare_competition(self, league: str, slug: str, action: str = "") -> Competition:
        """Return a competition; raises 400 if the request has query parameters."""
        found = self.competition(league, slug, action)
        parse_query(self.request, {})
        return found

    def optional_body(self, serializer: type[StrictSerializer]) -> dict[str, Any]:
        """Return the body, or the defaults if it is left out."""
        sent = self.request._request.content_type == "application/json" and bool(self.request.data)
        data: dict[str, Any] = self.body(serializer) if sent else serializer().run_validation({})
        return data

    def load(self, competition: Competition) -> LoadedCompetition:
        """Return a competition with the rounds and fixtures that the viewer may see."""
        loaded = load_competition(competition)
        return loaded if self.is_arbiter(competition.league) else loaded.hide_unpublished()

    def change(
        self, changed: Competition | Season, render: Callable[[], dict[str, Any]], operation: Callable[[], T]
    ) -> T:
        """Make the changes of ``operation``, all or none, with the league locked.

        Raises 412 if If-Match does not name the state that ``render`` shows.
        """

        def check_and_change(league: League, now: datetime) -> T:
            if has_precondition(self.request) and not meets_precondition(self.request, render()):
                raise ApiProblem(412, "This has changed since you read it; read it again. Nothing was written.")
            return operation()

        return run_with_league_lock(changed.league_id, check_and_change)
