"""``manage.py health LEAGUE``: whether a league's ratings can be compared, and what bends them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from league.apps.laboratory import diagnosis
from league.apps.laboratory.services.health import check_health
from league.cli.league_commands import HEALTH
from league.web.terminal.operator import OperatorCommand, find
from ratings.laboratory.health import GamesHealth

#: Of each list so many lines are written; JSON has all.
MAX_LINES = 12


class Command(OperatorCommand):
    """Look at the health of a league's ratings; the books are only read."""

    entry = HEALTH

    def handle(self, *args: Any, **options: Any) -> None:
        """Write sentences with figures."""
        found = check_health(find(options["league"]))
        people = found.people(found.health.habits, found.health.apart)
        names = {number: player.handle for number, player in people.items()}
        if options["json"]:
            named = {"names": {str(number): name for number, name in names.items()}}
            self.stdout.write(json.dumps({**asdict(found.health), **named}, indent=1))
            return
        for line in lines_of(found.health, names):
            self.stdout.write(line)


def lines_of(health: GamesHealth, names: Mapping[int, str]) -> Iterator[str]:
    """Yield what was found, a sentence a line."""
    yield f"{health.games:,} games of {health.players:,} players."
    yield diagnosis.connected(health)
    yield f"{diagnosis.added(health.drift)} {diagnosis.drifts(health.drift)}"
    yield diagnosis.level(diagnosis.told_by(health))
    yield diagnosis.seated(health)
    for seat, share in enumerate(health.seats, start=1):
        yield f"{diagnosis.seat_of(health, seat)} Advantage: {diagnosis.leans(share)}."
    yield diagnosis.farmed(health)
    for one in health.habits[:MAX_LINES]:
        who, whom = names[one.player], names[one.opponent]
        yield f"{who} met {whom} in {one.together} of {one.games} games, and gained {one.gained:+.1f} in these."
    yield diagnosis.active(diagnosis.told_by(health))
    for month in health.months[-MAX_LINES:]:
        yield (
            f"{month.name}: {month.games:,} games, {month.players:,} players, {month.newcomers:,} of them new, "
            f"mean rating {month.mean:,.1f}"
        )
