"""The head of a tournament report, of players and of teams."""

from collections.abc import Callable
from datetime import date

from django.utils.translation import gettext as _

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


def describe_time_control(time_control: str) -> str:
    """Return a time control in words: 90 min + 30 s, or 40 moves in 90 min + 30 s, then 30 min + 30 s; "" for none."""
    if not time_control:
        return ""
    return _(", then ").join(map(_describe_period, time_control.split(":")))


def _describe_period(period: str) -> str:
    moves, _slash, rest = period.rpartition("/")
    base, _plus, increment = rest.partition("+")
    parts = [_format_seconds(int(base))] if int(base) else []
    parts += [_("{seconds} s").format(seconds=int(increment))] if int(increment or 0) else []
    template = _("{moves} moves in {time}") if moves else "{time}"
    return template.format(moves=moves, time=" + ".join(parts))


def _format_seconds(seconds: int) -> str:
    if seconds % 60:
        return _("{seconds} s").format(seconds=seconds)
    return _("{minutes} min").format(minutes=seconds // 60)
