"""Players' current ratings, derived from the history, and states of a few players now or at a past time."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.db.models import F, Max, Q, QuerySet, Window
from django.db.models.functions import RowNumber
from django.utils.translation import gettext as _

from league.core.db.bulk import insert_few
from league.core.db.isolation import long_snapshot
from league.core.errors import Refused
from league.core.ladders.selectors.tallies import newest_lines
from league.core.leagues.selectors.rules import (
    changes_of_system,
    earlier_games,
    has_begun,
    last_change,
    rule_at,
    rule_of_ratings,
    rules_of,
    system_of,
)
from league.core.leagues.selectors.seasons import turns_between
from league.core.locking import with_league_lock
from league.core.replay.services.between_games import (
    STATES,
    Event,
    apply_event,
    begin_anew,
    gameless_from,
    lines_since,
    shift_before,
)
from league.core.replay.services.history import Position, lines_before, newest_position
from league.models import Adjustment, GamelessChange, InitialRating, League, Rating, RatingChange, Rule
from league.models.derived import SEASON_TURN
from ratings.contract.system import RatingSystem
from ratings.run.replay import Pool

#: An order key after all games of a time.
LAST_KEY = 2**63 - 1
#: The fields of a line without a game that determine a player's state.
MOVED = ("after", "shift", *STATES)
COLUMNS = (
    "league_id", "player_id", "rating", "settled", "shift", "games", "score", "peak", "change", "last_at",
    "last_number", *STATES,
)  # fmt: skip


def refresh_current_ratings(league_id: int) -> int:
    """Rebuild the current ratings of a league from its history, and return their number.

    While a replay is pending nothing is done (0), as the replay will write the ratings. They are first compared
    without the lock, which is taken only if they differ.
    """
    with long_snapshot():
        league = League.objects.filter(pk=league_id, stale_from=None).first()
        if league is not None:
            computed = computed_ratings(league)
            rows = {tuple(getattr(rating, name) for name in COLUMNS) for rating in computed}
            stored = Rating.objects.filter(league=league).order_by().values_list(*COLUMNS)
            if set(stored) == rows and len(rows) == len(computed):
                return len(computed)

    def work(league: League, now: datetime) -> int:
        if league.stale_from is not None:
            return 0
        # Invalidates cached boards.
        league.replays += 1
        league.save(update_fields=["replays"])
        return refresh_ratings(league)

    return with_league_lock(league_id, work, any_clock=True)


def refresh_ratings(league: League) -> int:
    """Rebuild the current ratings of a locked league, and return their number."""
    ratings = computed_ratings(league)
    Rating.objects.filter(league=league).delete()
    Rating.objects.bulk_create(ratings, batch_size=2000)
    return len(ratings)


def computed_ratings(league: League) -> list[Rating]:
    """Compute the ratings from a league's history."""
    order = Window(RowNumber(), partition_by=F("player"), order_by=F("games").desc())
    lines = RatingChange.objects.filter(league=league, step=1).annotate(newest=order).filter(newest=1)
    changes: list[Any] = list(lines.values())
    if not changes:
        return []
    if league.eventful:
        end_where_moved(league, changes)
    newest = max(changes, key=lambda change: (change["at"], change["order_key"]))
    rules = rules_of(league)
    shown = rule_of_ratings(rules, newest["at"])
    peaks: dict[int, float] = {}
    games = RatingChange.objects.filter(league=league, step=1)
    for since in lines_since(last_change(rules, shown.starts_at), games):
        for player, peak in since.order_by().values("player").annotate(peak=Max("after")).values_list("player", "peak"):
            peaks[player] = max(peak, peaks.get(player, peak))
    ratings = RatingsSource(
        league, system_of(shown), newest["shift"], earlier_games(league, rules, shown.starts_at) or {}
    )
    return [ratings.after(change, peaks[change["player_id"]]) for change in changes]


def end_where_moved(league: League, changes: Sequence[dict[str, Any]]) -> None:
    """Update players' last lines with the lines without a game since their last game."""
    last = {(change["player_id"], change["games"]): change for change in changes}
    moved = GamelessChange.objects.filter(league=league).order_by("at", "number")
    for line in moved.values("player_id", "games", *MOVED):
        if (line["player_id"], line["games"]) in last:
            last[line["player_id"], line["games"]] |= {name: line[name] for name in MOVED}


@dataclass(frozen=True)
class RatingsSource:
    """The data, other than players' last lines, from which current ratings are computed.

    shift: the pool's current shift. earlier: players' games before the system was restarted.
    """

    league: League
    system: RatingSystem
    shift: float
    earlier: Mapping[int, int]

    def after(self, change: dict[str, Any], peak: float) -> Rating:
        """Return the current rating, given a player's last line."""
        player, rating = change["player_id"], change["after"] + (self.shift - change["shift"]) + 0.0
        state = [rating, *(change[name] for name in STATES)]
        return Rating(
            league=self.league,
            player_id=player,
            rating=rating,
            settled=change["after"],
            shift=change["shift"],
            games=change["games"],
            score=self.system.display(state, change["games"] - self.earlier.get(player, 0)),
            peak=peak,
            change=change["change"],
            last_at=change["at"],
            last_number=change["number"],
            **{name: change[name] for name in STATES},
        )


def update_ratings(ratings: RatingsSource, changes: Sequence[dict[str, Any]], peaks: Mapping[int, float]) -> None:
    """Update the ratings of the newest game's players; the league must be locked.

    ``changes`` are their lines as values, ``peaks`` their highest earlier ratings, if any.
    """
    rows = [
        ratings.after(change, max(change["after"], peaks.get(change["player_id"], change["after"])))
        for change in changes
    ]
    values = [[getattr(row, name) for name in COLUMNS] for row in rows]
    insert_few(Rating, COLUMNS, values, over=("league_id", "player_id"))
    if ratings.system.moves_everybody():
        seated = [change["player_id"] for change in changes]
        shift_everybody(ratings.league, ratings.system, seated, ratings.shift, ratings.earlier)


def shift_everybody(
    league: League, system: RatingSystem, seated: Sequence[int], shift: float, earlier: Mapping[int, int]
) -> None:
    """Apply the pool's shift to the ratings of players who were not at the table.

    earlier: players' games before the system was restarted.
    """
    names = ("pk", "player_id", "rating", "score", "settled", "shift", "games", *STATES)
    there, moved = set(seated), []
    # Usually nothing changes, for example if a new rule displays ratings like the previous one.
    for pk, player, rating, score, settled, before, games, *states in (
        Rating.objects.filter(league=league).order_by().values_list(*names)
    ):
        if player in there:
            continue
        now = settled + (shift - before) + 0.0
        shown = system.display([now, *states], games - earlier.get(player, 0))
        if (now, shown) != (rating, score):
            moved.append(Rating(pk=pk, rating=now, score=shown))
    Rating.objects.bulk_update(moved, ["rating", "score"], batch_size=500)


class StateArrays:
    """Players, their indices in the arrays, and their states."""

    def __init__(self, width: int, players: Sequence[int]) -> None:
        self.index_of = {player: index for index, player in enumerate(players)}
        count = len(players)
        self.pool = Pool(np.zeros((count, width)), np.zeros(count), np.zeros(count))

    def put(self, rows: Iterable[Rating | RatingChange]) -> None:
        """Set players' states from current ratings, or from lines of the history."""
        width = self.pool.values.shape[1]
        for row in rows:
            index = self.index_of[row.player_id]
            settled = row.settled if isinstance(row, Rating) else row.after
            self.pool.values[index] = [settled, row.state_1, row.state_2, row.state_3][:width]
            self.pool.games[index], self.pool.shift_at[index] = row.games, row.shift

    def end_where_moved(self, league: League, then: Q) -> None:
        """Update players' states from lines without a game after their last game."""
        rows = GamelessChange.objects.filter(then, league=league, player__in=list(self.index_of))
        width = self.pool.values.shape[1]
        for row in rows.order_by("at", "number"):
            index = self.index_of[row.player_id]
            if self.pool.games[index] == row.games:
                self.pool.values[index] = [row.after, row.state_1, row.state_2, row.state_3][:width]
                self.pool.shift_at[index] = row.shift

    def move_on(self, league: League, rules: Sequence[Rule], newest: datetime, moment: datetime) -> None:
        """Apply the events between the last game and a new game at a time.

        Raises Refused if a pending change of system takes effect with that new game.
        """
        for change in changes_of_system(rules):
            if newest < change.starts_at <= moment and not has_begun(change, newest):
                sentence = _("Ratings change to {system} with the first game since {day}; try again after that game.")
                raise Refused(sentence.format(system=system_of(change).title, day=change.from_date))
        turns = turns_between(league, rules, newest, moment)
        events = [Event(turn.at, SEASON_TURN, turn.rule, pull=turn.pull) for turn in turns if turn.at > newest]
        adjusted = Adjustment.objects.filter(league=league, voided_at=None, at__gt=newest, at__lte=moment)
        events += [
            Event(one.at, one.number, rule, player=one.player_id, amount=one.amount)
            for one in adjusted.filter(player__in=list(self.index_of))
            if (rule := rule_at(rules, one.at)) is not None
        ]
        ids = np.array(list(self.index_of))
        for event in sorted(events, key=lambda event: (event.at, event.number)):
            apply_event(event, 0, ids, self.pool)

    def put_starts(self, system: RatingSystem, starts: Mapping[int, float]) -> None:
        """Set the states of players without games to the system's start, or to the league's initial ratings."""
        for player, index in self.index_of.items():
            if not self.pool.games[index]:
                rating, *beside = system.start()
                self.pool.values[index] = [starts.get(player, rating), *beside]


def rated_others(league: League, rules: Sequence[Rule], moment: datetime, players: Sequence[int]) -> int:
    """Return the number of rated players, other than these, in the current system."""
    ratings, change = Rating.objects.filter(league=league).exclude(player__in=players), last_change(rules, moment)
    if change is not None and change.start == Rule.Start.ANEW:
        ratings = ratings.filter(last_at__gte=change.starts_at)
    return ratings.count()


def states_at(
    league: League, moment: datetime, rules: Sequence[Rule], system: RatingSystem, players: Sequence[int]
) -> StateArrays:
    """Return players' states at a time, after every game until then."""
    newest = newest_position(league)
    now = newest is None or newest[0] <= moment
    lines = RatingChange.objects.filter(league=league, at__lte=moment)
    ratings = Rating.objects.filter(league=league)
    rows: list[Rating] | list[RatingChange] = (
        list(ratings.filter(player__in=players)) if now and not league.eventful else list(last_lines(lines, players))
    )
    until = newest[0] if now and newest is not None else moment
    begun = [change.starts_at for change in changes_of_system(rules) if has_begun(change, None)]
    until = max([until, *(at for at in begun if at <= moment)])
    states = states_from_rows(league, (moment, LAST_KEY), lines, rows, rules, system, players, Q(at__lte=until))
    if now and newest is not None and league.eventful:
        states.move_on(league, rules, until, moment)
    return states


def states_before(
    league: League, position: Position, rules: Sequence[Rule], system: RatingSystem, players: Sequence[int]
) -> StateArrays:
    """Return players' states before a position in the order of games."""
    lines = lines_before(league, position)
    rows = list(last_lines(lines, players))
    return states_from_rows(league, position, lines, rows, rules, system, players, ~gameless_from(position))


def states_from_rows(
    league: League,
    position: Position,
    lines: QuerySet[RatingChange],
    rows: Sequence[Rating | RatingChange],
    rules: Sequence[Rule],
    system: RatingSystem,
    players: Sequence[int],
    then: Q,
) -> StateArrays:
    """Return players' states before a position, given the rows with their last states.

    then: selects the lines without a game that apply.
    """
    states = StateArrays(len(system.state), players)
    states.put(rows)
    if league.eventful:
        states.end_where_moved(league, then)
    starts = InitialRating.objects.filter(league=league, player__in=players)
    states.put_starts(system, dict(starts.values_list("player_id", "rating")))
    states.pool.shift = shift_before(league, position, rules)
    begin_anew(states.pool, earlier_games(league, rules, position[0]), players)
    if system.moves_everybody():
        states.pool.others = rated_by(league, position, rules).exclude(player__in=players).count()
    return states


def rated_by(league: League, position: Position, rules: Sequence[Rule]) -> QuerySet[RatingChange]:
    """Return one line of each player who counts as rated before a position."""
    lines, change = lines_before(league, position).filter(step=1), last_change(rules, position[0])
    if change is None or change.start != Rule.Start.ANEW:
        return lines.filter(games=1)
    return newest_lines(lines.filter(at__gte=change.starts_at))


def last_lines(lines: QuerySet[RatingChange], players: Sequence[int]) -> Iterable[RatingChange]:
    """Return the last of these lines of each player."""
    return newest_lines(lines.filter(step=1, player__in=players))
