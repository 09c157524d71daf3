"""The health of a league's ratings, by its own games and changes: one snapshot is read, nothing is written.

What was found is kept while the books stand as they do, for the pages: it names people by their keys, and whoever shows
it asks how they are called now.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext as _

from league.core.db.bounded_cache import find, store
from league.core.db.columns import Columns, Floats, Keys
from league.core.db.isolation import long_snapshot
from league.core.errors import Busy, Refused
from league.core.leagues.selectors.rules import last_change, rule_shown, rules_of, system_of
from league.core.replay.selectors.revision import books_revision
from league.core.replay.services.history import read_log
from league.core.replay.services.played_games import played_of
from league.core.text.numbers import number
from league.models import League, Player, RatingChange
from ratings.laboratory.health import GamesHealth, Habit, health_of

#: Of so many games, 100,000 of which take three seconds, a request finds the health itself.
MAX_GAMES_IN_REQUEST = 150_000
#: Of more games than these, which take half a second at rest and three times that on a busy machine, a page first says
#: what it does.
MAX_GAMES_AT_ONCE = 25_000


@dataclass(frozen=True)
class HealthColumns(Columns):
    """The lines of a history that games made, in the order of the games and seats."""

    player: Keys
    change: Floats
    after: Floats


@dataclass(frozen=True)
class CheckedHealth:
    """What was found in books of a revision; ``keys``: of the players whom it names by numbers, in their order."""

    revision: str
    health: GamesHealth
    keys: Keys

    def people(self, habits: Iterable[Habit] = (), groups: Iterable[Sequence[int]] = ()) -> dict[int, Player]:
        """Return those whom some habits and groups name, by their numbers."""
        meant = {place for one in habits for place in (one.player, one.opponent)}
        meant |= {place for group in groups for place in group}
        found = Player.objects.in_bulk([int(self.keys[place]) for place in meant])
        return {place: found[int(self.keys[place])] for place in meant}


def takes_long(league: League) -> bool:
    """Return whether who asks for a league's health waits for it: the games are many, and nothing is kept of them."""
    return MAX_GAMES_AT_ONCE < league.last_number <= MAX_GAMES_IN_REQUEST and kept_of(league) is None


def kept_of(league: League) -> CheckedHealth | None:
    """Return what was found in the league's data as they are."""
    found: CheckedHealth | None = find("health", (league.pk, books_revision(league)))
    return found


def health_now(league: League) -> CheckedHealth:
    """Return how healthy a league's ratings are for a request: found now, or while the league's data were the same.

    Raises as ``check_health`` does, and Refused if the games are too many to be looked through meanwhile.
    """
    if league.last_number > MAX_GAMES_IN_REQUEST:
        sentence = _(
            "There are more than {most} games, too many to analyse while you wait; the site's operator can do it."
        )
        raise Refused(sentence.format(most=number(MAX_GAMES_IN_REQUEST)))
    found = kept_of(league)
    if found is None:
        found = check_health(league, limited=True)
        store("health", (league.pk, found.revision), found)
    return found


def check_health(league: League, *, limited: bool = False) -> CheckedHealth:
    """Return how healthy a league's ratings are; ``limited``: within the database's limits for requests.

    Raises Refused if no game is rated, Busy while some wait for it.
    """
    with long_snapshot(limited=limited):
        league.refresh_from_db()
        if league.stale_from is not None:
            sentence = _("The ratings since {time} UTC are being recalculated; try again soon.")
            raise Busy(sentence.format(time=f"{league.stale_from:%Y-%m-%d %H:%M}"))
        revision = books_revision(league)
        rules = rules_of(league)
        log = read_log(league, None, [system_of(rule) for rule in rules])
        lines = RatingChange.objects.filter(league=league, step=1).order_by("at", "order_key", "seat")
        # Ratings of two systems do not compare: those since the last change are looked at.
        change = last_change(rules, rule_shown(league, rules).starts_at) if rules else None
        moved = HealthColumns.read(lines.filter(at__gte=change.starts_at) if change else lines, apart=True)
    first = log.edges([change or rules[0]])[0] if rules else len(log.games)
    if first == len(log.games):
        raise Refused(_("The league has no rated games yet."))
    played = played_of(log, first, len(log.games), league.time_zone, [])
    # The laboratory numbers people in the order of their keys.
    return CheckedHealth(revision, health_of(played, moved.change, moved.after), np.unique(moved.player))
