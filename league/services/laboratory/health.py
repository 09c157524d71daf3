"""The health of a league's ratings, by its own games and changes: one snapshot is read, nothing is written."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext as _

from league.db.columns import Columns, Floats, Keys
from league.db.isolation import long_snapshot
from league.errors import Busy, Refused
from league.models import League, Player, RatingChange
from league.selectors.rules import rules_of, system_of
from league.services.laboratory.reading import played_of
from league.services.replay.history import read_log
from ratings.laboratory.health import Health, health_of


@dataclass(frozen=True)
class Moved(Columns):
    """The lines of a history that games made, in the order of the games and seats."""

    player: Keys
    change: Floats
    after: Floats


@dataclass(frozen=True)
class Checked:
    """What was found; ``names``: how those are called whom it names by their numbers."""

    health: Health
    names: Mapping[int, str]


def check_health(league: League) -> Checked:
    """Return how healthy a league's ratings are; raises Refused where no game is rated, Busy while some wait for it."""
    with long_snapshot():
        league.refresh_from_db()
        if league.stale_from is not None:
            sentence = _("The ratings since {time} UTC are being replayed; ask again soon.")
            raise Busy(sentence.format(time=f"{league.stale_from:%Y-%m-%d %H:%M}"))
        rules = rules_of(league)
        log = read_log(league, None, [system_of(rule) for rule in rules])
        lines = RatingChange.objects.filter(league=league, step=1).order_by("at", "order_key", "seat")
        moved = Moved.read(lines, apart=True)
        first = log.edges(rules)[0] if rules else len(log.games)
        if first == len(log.games):
            raise Refused(_("No game of the league is rated yet."))
        played = played_of(log, first, len(log.games), league.time_zone, [])
        health = health_of(played, moved.change, moved.after)
        # The laboratory numbers people in the order of their keys.
        keys = np.unique(moved.player).tolist()
        meant = {number for one in health.habits for number in (one.player, one.opponent)}
        people = Player.objects.in_bulk([keys[number] for number in meant])
    return Checked(health, {number: people[keys[number]].handle for number in meant})
