"""``manage.py health LEAGUE``: check a league's ratings."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from league.apps.laboratory import diagnosis
from league.apps.laboratory.services.health import check_health
from league.cli.league_commands import HEALTH
from league.web.terminal.operator import OperatorCommand, get_league
from ratings.laboratory.health import GamesHealth

#: Maximum number of printed lines of each list; JSON has all.
MAX_LINES = 12


class Command(OperatorCommand):
    """Check the health of a league's ratings; only reads data."""

    entry = HEALTH

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the results as sentences or JSON."""
        checked = check_health(get_league(options["league"]))
        players = checked.load_players(checked.health.habits, checked.health.apart)
        names = {number: player.handle for number, player in players.items()}
        if options["json"]:
            names_json = {"names": {str(number): name for number, name in names.items()}}
            self.stdout.write(json.dumps({**asdict(checked.health), **names_json}, indent=1))
            return
        for line in _format_lines(checked.health, names):
            self.stdout.write(line)


def _format_lines(health: GamesHealth, names: Mapping[int, str]) -> Iterator[str]:
    yield f"{health.games:,} games of {health.players:,} players."
    yield diagnosis.describe_groups(health)
    yield f"{diagnosis.describe_added(health.drift)} {diagnosis.describe_drift(health.drift)}"
    yield diagnosis.describe_level(diagnosis.choose_stretches(health))
    yield diagnosis.describe_seats(health)
    for seat, share in enumerate(health.seats, start=1):
        yield f"{diagnosis.describe_seat(health, seat)} Advantage: {diagnosis.describe_advantage(share)}."
    yield diagnosis.describe_frequent_opponents(health)
    for habit in health.habits[:MAX_LINES]:
        player, opponent = names[habit.player], names[habit.opponent]
        yield (
            f"{player} met {opponent} in {habit.together} of {habit.games} games, "
            f"and gained {habit.gained:+.1f} in these."
        )
    yield diagnosis.describe_activity(diagnosis.choose_stretches(health))
    for month in health.months[-MAX_LINES:]:
        yield (
            f"{month.name}: {month.games:,} games, {month.players:,} players, {month.newcomers:,} of them new, "
            f"mean rating {month.mean:,.1f}"
        )
