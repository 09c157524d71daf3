"""``manage.py health LEAGUE``: whether a league's ratings can be compared, and what bends them."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from league.errors import RungsError
from league.management.operator import OPERATOR
from league.selectors.permissions import find_league
from league.services.laboratory.health import Checked, check_health
from ratings.laboratory.health import Health, Share

#: Of each list so many lines are written; JSON has all.
MOST = 12


class Command(BaseCommand):
    """Look at the health of a league's ratings; the books are only read."""

    help = "Says who is connected with whom in a league, what its seats are worth, and where the points go."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the league."""
        parser.add_argument("league", help="the league's slug")
        parser.add_argument("--json", action="store_true", help="write all figures as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write sentences with figures."""
        try:
            found = check_health(find_league(options["league"], OPERATOR))
        except RungsError as error:
            raise CommandError(error.detail) from None
        if options["json"]:
            named = {"names": {str(number): name for number, name in found.names.items()}}
            self.stdout.write(json.dumps({**asdict(found.health), **named}, indent=1))
            return
        for line in lines_of(found):
            self.stdout.write(line)


def lines_of(found: Checked) -> Iterator[str]:
    """Yield what was found, a sentence a line."""
    health = found.health
    yield f"{health.games:,} games of {health.players:,} players."
    yield connected(health)
    yield f"A game adds {told(health.drift, 3)} to all ratings together. {drifts(health.drift)}"
    for seat, share in enumerate(health.seats, start=1):
        yield f"Seat {seat} of {health.size} takes {told(share, 3)} of the points. {leans(share)}".rstrip()
    for one in health.habits[:MOST]:
        who, whom = found.names[one.player], found.names[one.opponent]
        yield f"{who} met {whom} in {one.together} of {one.games} games, and gained {one.gained:+.1f} in these."
    for month in health.months[-MOST:]:
        yield (
            f"{month.month}: {month.games:,} games, {month.players:,} players, {month.newcomers:,} of them new, "
            f"mean rating {month.mean:,.1f}"
        )


def connected(health: Health) -> str:
    """Return whether all ratings can be compared."""
    if len(health.islands) == 1:
        return "All players are connected by games: every two ratings can be compared."
    sizes = ", ".join(f"{size:,}" for size in health.islands[:MOST])
    more = "" if len(health.islands) <= MOST else f" and {len(health.islands) - MOST:,} more"
    return (
        f"There are {len(health.islands):,} groups between which nobody has played, of {sizes}{more} players: "
        "ratings of two groups say nothing of each other."
    )


def told(share: Share, decimals: int) -> str:
    """Return a figure with its interval."""
    if share.low is None or share.high is None:
        return f"{share.value:.{decimals}f} (too few evenings for an interval)"
    value, low, high = (round(one, decimals) + 0.0 for one in (share.value, share.low, share.high))  # no -0.000
    return f"{value:.{decimals}f} ({low:.{decimals}f} to {high:.{decimals}f})"


def drifts(share: Share) -> str:
    """Return whether ratings rise or fall as a whole."""
    if share.value == 0.0 or share.low is None or share.high is None or share.low <= 0.0 <= share.high:
        return "What some win the others lose, as far as these games say."
    return "Ratings rise as a whole." if share.value > 0.0 else "Ratings fall as a whole."


def leans(share: Share) -> str:
    """Return whether a seat is an advantage; "" where these games do not say it."""
    if share.low is None or share.high is None or share.low <= 0.5 <= share.high:
        return ""
    return "It is an advantage." if share.value > 0.5 else "It is a disadvantage."
