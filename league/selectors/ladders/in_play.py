"""The period in play that a league shows first, with its race: that of the ladder with the shortest cadence."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from league.models import League, Period, Rule, Standing
from league.selectors.ladders.race import Race, race_of
from league.selectors.ladders.standings import Row, live_rows

#: The cadences whose periods come and go, the one that is shown first.
CADENCES = ("week", "month", "quarter", "year", "dated")
#: The first of the race that stand on a league's first page.
FIRST = 5
#: With more people in the period nothing is said: the page shall not wait for it.
PEOPLE = 1000


@dataclass(frozen=True)
class InPlay:
    """A period in play with its ranking, and the race where there is one to draw."""

    period: Period
    rows: list[Row]
    race: Race | None


def in_play(league: League, rules: Sequence[Rule], now: datetime) -> InPlay | None:
    """Return the period in play that a league shows first; None without games in one, or with too many people."""
    running = Period.objects.filter(
        ladder__league=league, starts_at__lte=now, ends_at__gt=now, closed=False, rule__cadence__in=CADENCES
    ).select_related("ladder", "rule")
    shown = sorted(running, key=lambda one: (CADENCES.index(one.rule.cadence), one.ladder_id))
    if not shown or len(Standing.objects.filter(period=shown[0]).order_by().values_list("pk")[: PEOPLE + 1]) > PEOPLE:
        return None
    rows = live_rows(shown[0])
    if not rows:
        return None
    return InPlay(shown[0], rows, race_of(league, shown[0], rows, rules=rules, most=FIRST))
