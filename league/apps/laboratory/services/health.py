"""The health of a league's ratings, computed from its games and rating changes in one snapshot.

Results are cached until the league's data change. They contain keys of players, whose names are loaded when shown.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext as _

from league.core.db.bounded_cache import find, store
from league.core.db.columns import Columns, Floats, Keys
from league.core.db.isolation import long_snapshot
from league.core.errors import Busy, Refused
from league.core.locking import get_data_revision
from league.core.replay.services.history import read_log
from league.core.replay.services.played_games import build_game_columns
from league.core.rules.selectors.rules import (
    build_rule_system,
    find_last_system_change,
    find_rule_of_shown_ratings,
    load_rules,
)
from league.core.text.display_formats import format_number
from league.models import League, Player, RatingChange
from ratings.laboratory.health import GamesHealth, Habit, Meetings, compute_health, count_meetings

#: Maximum number of games for a check within a request; 100,000 take three seconds.
MAX_GAMES_IN_REQUEST = 150_000
#: Maximum number of games that are checked before a page answers; they take 0.5 to 1.5 seconds.
MAX_GAMES_WITHOUT_NOTICE = 25_000
#: Maximum number of players whose meetings are counted.
MAX_MET_PLAYERS = 24


@dataclass(frozen=True)
class RatingColumns(Columns):
    """Rating changes by games, in the order of the games and seats."""

    player: Keys
    change: Floats
    after: Floats


@dataclass(frozen=True)
class CheckedHealth:
    """The health of a league's data at a revision; ``keys`` maps the player numbers of ``health`` to keys."""

    revision: str
    health: GamesHealth
    meetings: Meetings
    keys: Keys

    def load_players(self, habits: Iterable[Habit] = (), groups: Iterable[Sequence[int]] = ()) -> dict[int, Player]:
        """Return the players of some habits and groups by their numbers."""
        numbers = {number for habit in habits for number in (habit.player, habit.opponent)}
        numbers |= {number for group in groups for number in group}
        players = Player.objects.in_bulk([int(self.keys[number]) for number in numbers])
        return {number: players[int(self.keys[number])] for number in numbers}


def is_slow_check(league: League) -> bool:
    """Return whether a health check takes long enough to show a waiting page first."""
    return MAX_GAMES_WITHOUT_NOTICE < league.last_number <= MAX_GAMES_IN_REQUEST and _find_cached_health(league) is None


def _find_cached_health(league: League) -> CheckedHealth | None:
    health: CheckedHealth | None = find("health", (league.pk, get_data_revision(league)))
    return health


def load_health(league: League) -> CheckedHealth:
    """Return the health of a league from the cache, or check it within this request.

    Raises as ``check_health`` does, and Refused if there are more than ``MAX_GAMES_IN_REQUEST`` games.
    """
    if league.last_number > MAX_GAMES_IN_REQUEST:
        message = _(
            "There are more than {most} games, too many to analyse while you wait; the site's operator can do it."
        )
        raise Refused(message.format(most=format_number(MAX_GAMES_IN_REQUEST)))
    health = _find_cached_health(league)
    if health is None:
        health = check_health(league, limited=True)
        store("health", (league.pk, health.revision), health)
    return health


def check_health(league: League, *, limited: bool = False) -> CheckedHealth:
    """Check a league's ratings; ``limited`` applies the database's time limits for requests.

    Raises Refused if no game is rated, and Busy while ratings are being recalculated.
    """
    with long_snapshot(limited=limited):
        league.refresh_from_db()
        if league.stale_from is not None:
            message = _("The ratings since {time} UTC are being recalculated; try again soon.")
            raise Busy(message.format(time=f"{league.stale_from:%Y-%m-%d %H:%M}"))
        revision = get_data_revision(league)
        rules = load_rules(league)
        log = read_log(league, None, [build_rule_system(rule) for rule in rules])
        changes = RatingChange.objects.filter(league=league, step=1).order_by("at", "order_key", "seat")
        # Ratings of different systems cannot be compared, so only those since the last change are used.
        last_change_rule = (
            find_last_system_change(rules, find_rule_of_shown_ratings(league, rules).starts_at) if rules else None
        )
        columns = RatingColumns.read(
            changes.filter(at__gte=last_change_rule.starts_at) if last_change_rule else changes, apart=True
        )
    first = log.edges([last_change_rule or rules[0]])[0] if rules else len(log.games)
    if first == len(log.games):
        raise Refused(_("The league has no rated games yet."))
    lab_games = build_game_columns(log, first, len(log.games), league.time_zone, [])
    # The laboratory numbers players in the order of their keys.
    found = compute_health(lab_games, columns.change, columns.after)
    return CheckedHealth(revision, found, count_meetings(lab_games, MAX_MET_PLAYERS), np.unique(columns.player))
