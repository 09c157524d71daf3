"""The head of a tournament report, of players and of teams."""

from collections.abc import Callable
from datetime import date

from league.apps.competitions.models import Competition
from league.apps.competitions.selectors.competitions import get_zone
from ratings.trf.head import read_arbiter, read_federation, read_time_control


def list_days(competition: Competition) -> list[date | None]:
    """Return the first and the last day of a competition, as far as they are known."""
    zone = get_zone(competition)
    return [None if at is None else at.astimezone(zone).date() for at in (competition.starts_at, competition.ends_at)]


def read_head(competition: Competition) -> dict[str, tuple[str, Callable[[str], str | None]]]:
    """Return what is stated of the head of a report, and how it is read, by the report's names."""
    return {
        "federation": (competition.federation, read_federation),
        "arbiter": (competition.arbiter, read_arbiter),
        "seconds": (competition.time_control, read_time_control),
    }
