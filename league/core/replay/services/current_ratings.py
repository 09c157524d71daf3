"""Players' current ratings: derived from the history, after the newest game, and after a replay.

After a replay they are columns, written if they differ from the stored ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np
from django.db.models import F, Max, Window
from django.db.models.functions import RowNumber

from league.core.db.bulk import TableShape, insert_few, make_equal
from league.core.db.columns import (
    Column,
    Columns,
    Floats,
    Keys,
    Moments,
    Wholes,
    build_derived_timestamp_expression,
    convert_to_micros,
    find_rows,
    list_column_names,
)
from league.core.db.isolation import long_snapshot
from league.core.db.membership import AnyOf
from league.core.ladders.selectors.tallies import find_newest_lines
from league.core.locking import locked_any_clock
from league.core.replay.services.between_games import (
    STATES,
    iter_lines_since,
)
from league.core.replay.services.compute import ComputedHistory, PlayerStates, Replay
from league.core.replay.services.history import (
    ComputedLines,
    Position,
    StoredLines,
    find_lines_before,
    find_newest_position,
)
from league.core.replay.services.owners import build_owner_columns, choose_table
from league.core.rules.selectors.rules import (
    build_rule_system,
    find_last_system_change,
    find_rule_of_ratings,
    load_earlier_games,
    load_rules,
)
from league.models import League, Rating, Rule
from league.models.contexts import changes_of, gameless_changes_of, ratings_of
from league.models.derived import SYSTEM_CHANGE
from ratings.contract.system import RatingSystem

#: The fields of a line without a game that determine a player's state.
MOVED = ("after", "shift", *STATES)
COLUMNS = (
    "league_id", "player_id", "rating", "settled", "shift", "games", "score", "peak", "change", "last_at",
    "last_number", *STATES,
)  # fmt: skip


#: Maximum number of players looked up one by one; for more, all players are read at once.
MAX_LOOKUPS = 2000
#: Maximum number of players whose ratings are looked up; for more, all ratings are read.
MAX_RATING_LOOKUPS = 5000


def refresh_current_ratings(league_id: int) -> int:
    """Rebuild the current ratings of a league from its history, and return their number.

    While a replay is pending nothing is done (0), as the replay will write the ratings. They are first compared
    without the lock, which is taken only if they differ.
    """
    with long_snapshot():
        league = League.objects.filter(pk=league_id, stale_from=None).first()
        if league is not None:
            computed = _compute_ratings_from_history(league)
            rows = {tuple(getattr(rating, name) for name in COLUMNS) for rating in computed}
            stored = ratings_of(league).order_by().values_list(*COLUMNS)
            if set(stored) == rows and len(rows) == len(computed):
                return len(computed)
    return _refresh_current_ratings(league_id)


@locked_any_clock
def _refresh_current_ratings(league: League, now: datetime) -> int:
    if league.stale_from is not None:
        return 0
    # Invalidates cached boards.
    league.replays += 1
    league.save(update_fields=["replays"])
    return refresh_ratings(league)


def refresh_ratings(league: League) -> int:
    """Rebuild the current ratings of a locked league, and return their number."""
    ratings = _compute_ratings_from_history(league)
    ratings_of(league).delete()
    Rating.objects.bulk_create(ratings)
    return len(ratings)


def _compute_ratings_from_history(league: League) -> list[Rating]:
    """Compute the ratings from a league's history."""
    order = Window(RowNumber(), partition_by=F("player"), order_by=F("games").desc())
    lines = changes_of(league).filter(step=1).annotate(newest=order).filter(newest=1)
    changes: list[Any] = list(lines.values())
    if not changes:
        return []
    if league.eventful:
        end_where_moved(league, changes)
    latest_change = max(changes, key=lambda change: (change["at"], change["order_key"]))
    rules = load_rules(league)
    current_rule = find_rule_of_ratings(rules, latest_change["at"])
    peaks: dict[int, float] = {}
    games = changes_of(league).filter(step=1)
    for later_lines in iter_lines_since(find_last_system_change(rules, current_rule.starts_at), games):
        for player, peak in (
            later_lines.order_by().values("player").annotate(peak=Max("after")).values_list("player", "peak")
        ):
            peaks[player] = max(peak, peaks.get(player, peak))
    ratings = RatingsSource(
        league,
        build_rule_system(current_rule),
        latest_change["shift"],
        load_earlier_games(league, rules, current_rule.starts_at) or {},
    )
    return [ratings.after(change, peaks[change["player_id"]]) for change in changes]


def end_where_moved(league: League, changes: Sequence[dict[str, Any]]) -> None:
    """Update players' last lines with the lines without a game since their last game."""
    last = {(change["player_id"], change["games"]): change for change in changes}
    gameless_changes = gameless_changes_of(league).order_by("at", "number")
    for line in gameless_changes.values("player_id", "games", *MOVED):
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
    if ratings.system.moves_all_players():
        seated = [change["player_id"] for change in changes]
        shift_everybody(ratings.league, ratings.system, seated, ratings.shift, ratings.earlier)


def shift_everybody(
    league: League, system: RatingSystem, seated: Sequence[int], shift: float, earlier_counts: Mapping[int, int]
) -> None:
    """Apply the pool's shift to the ratings of players who were not at the table.

    earlier: players' games before the system was restarted.
    """
    names = ("pk", "player_id", "rating", "score", "settled", "shift", "games", *STATES)
    seated_ids, changed_ratings, model = set(seated), [], ratings_of(league).model
    # Usually nothing changes, for example if a new rule displays ratings like the previous one.
    for pk, player, rating, score, settled, previous_shift, games, *states in (
        ratings_of(league).order_by().values_list(*names)
    ):
        if player in seated_ids:
            continue
        now = settled + (shift - previous_shift) + 0.0
        new_score = system.display([now, *states], games - earlier_counts.get(player, 0))
        if (now, new_score) != (rating, score):
            changed_ratings.append(model(pk=pk, rating=now, score=new_score))
    model._default_manager.bulk_update(changed_ratings, ["rating", "score"])


@dataclass(frozen=True)
class CurrentRatings(Columns):
    """Current ratings by ascending player id."""

    player: Keys
    games: Wholes
    last_number: Keys
    last_at: Moments
    rating: Floats
    settled: Floats
    shift: Floats
    score: Floats
    peak: Floats
    change: Floats
    state_1: Floats
    state_2: Floats
    state_3: Floats

    def states(self) -> list[list[float]]:
        """Return the current state of each player."""
        columns = (self.rating, self.state_1, self.state_2, self.state_3)
        return [list(state) for state in zip(*(column.tolist() for column in columns), strict=True)]


@dataclass(frozen=True)
class StoredRatings(CurrentRatings):
    """Stored current ratings with their primary keys."""

    pk: Keys


@dataclass(frozen=True)
class Last(Columns):
    """Players' last games."""

    player: Keys
    at: Moments
    number: Keys
    change: Floats


@dataclass(frozen=True)
class Peaks(Columns):
    """Players' highest ratings, by ascending player id."""

    player: Keys
    peak: Floats


RATING_NAMES = list_column_names(CurrentRatings)
#: The current ratings of one league.
RATINGS = TableShape(Rating, ("player",), RATING_NAMES, {"league": "key", **CurrentRatings.kinds()})


def write_ratings(replay: Replay, computed: ComputedHistory, affected: Column) -> None:
    """Write the current ratings of the players of a replay if they differ from the stored ones.

    ``computed`` is the new history from the position. ``affected`` are the players whose lines changed; no other rating
    changes, except through the pool's shift or another rule.
    """
    league, position, states = replay.league, replay.position, replay.known.states
    if position is not None and len(replay.rules) == 1 and not states.pool.shift:
        states = states.of(affected)
        computed = replace(computed, lines=computed.lines.of(np.isin(computed.lines.player, affected)))
    old = load_stored_ratings(league, states.ids, position)
    last_position = find_newest_position(league)
    current_rule = find_rule_of_ratings(replay.rules, last_position and last_position[0])
    new = compute_ratings(league, replay.rules, current_rule, states, computed)
    if position is not None:
        change = find_last_system_change(replay.rules, current_rule.starts_at)
        new = _raise_to_earlier_peaks(league, position, change, new, old, replay.known.stored)
    rows = new.by_name() | build_owner_columns(league, len(new))
    make_equal(choose_table(league, RATINGS), old.by_name(), rows, ratings_of(league) if position is None else None)


def load_stored_ratings(league: League, ids: Column, position: Position | None) -> StoredRatings:
    """Return the stored ratings of these players, or all of the league's for a replay from the start."""
    rows = ratings_of(league).order_by("player_id")
    few = position is not None and len(ids) <= MAX_RATING_LOOKUPS
    if few:
        rows = rows.filter(AnyOf("player_id", ids.tolist()))
    old = StoredRatings.read(rows, apart=not few, last_at=build_derived_timestamp_expression("last_at"))
    return old if position is None else old.of(np.isin(old.player, ids))


def compute_ratings(
    league: League, rules: Sequence[Rule], current_rule: Rule, states: PlayerStates, computed: ComputedHistory
) -> CurrentRatings:
    """Return the current ratings of the players with games, by ascending id.

    shown: the rule to display them by. Peaks are those of the computed lines.
    """
    pool, ids, lines, system = states.pool, states.ids, computed.lines, build_rule_system(current_rule)
    counts = pool.counts()
    played_indices = np.flatnonzero(counts > 0)
    other_fields = [
        pool.values[played_indices, index] if pool.values.shape[1] > index else np.zeros(len(played_indices))
        for index in (1, 2, 3)
    ]
    last = _find_last_games(league, lines, ids[played_indices])
    ratings = CurrentRatings(
        player=ids[played_indices],
        games=counts[played_indices],
        last_number=last.number,
        last_at=last.at,
        rating=pool.ratings()[played_indices] + 0.0,
        settled=pool.values[played_indices, 0],
        shift=pool.shift_at[played_indices],
        score=np.empty(0),
        peak=_compute_peaks(ids[played_indices], computed, find_last_system_change(rules, current_rule.starts_at)),
        change=last.change,
        state_1=other_fields[0],
        state_2=other_fields[1],
        state_3=other_fields[2],
    )
    games = pool.games[played_indices].astype(np.int64).tolist()
    scores = [system.display(state, count) for state, count in zip(ratings.states(), games, strict=True)]
    return replace(ratings, score=np.array(scores, dtype=np.float64))


def _compute_peaks(players: Column, computed: ComputedHistory, change: Rule | None) -> Column:
    """Return each player's highest rating in the computed lines since the last change of system, if any.

    The rating at that change counts too. -inf if there is no such line; ``players`` ascending.
    """
    if change is None:
        return _compute_highest(players, computed.lines)
    started_at, moves = convert_to_micros(change.starts_at), computed.between
    peaks = _compute_highest(players, computed.lines.of(computed.lines.at >= started_at))
    is_start = (moves.number == SYSTEM_CHANGE) & (moves.at == started_at)
    row = find_rows(players, moves.player[is_start])
    peaks[row] = np.maximum(peaks[row], moves.after[is_start])
    return peaks


def _find_last_games(league: League, lines: ComputedLines, players: Column) -> Last:
    """Return each player's last game; ``players`` ascending."""
    game = np.flatnonzero(lines.step == 1)
    order = game[np.lexsort((lines.games[game], lines.player[game]))]
    seated = lines.player[order]
    last = np.searchsorted(seated, players, side="right") - 1
    is_present = last >= 0
    is_present[is_present] = seated[last[is_present]] == players[is_present]
    rows = order[last[is_present]]
    zeros = np.zeros(len(players), dtype=np.int64)
    result = Last(players, zeros, zeros.copy(), np.zeros(len(players)))
    result.at[is_present], result.number[is_present], result.change[is_present] = (
        lines.at[rows],
        lines.number[rows],
        lines.change[rows],
    )
    absent = players[~is_present]
    previous_lines = changes_of(league).filter(step=1, player__in=absent.tolist())
    stored = Last.read(find_newest_lines(previous_lines))
    index = np.searchsorted(players, stored.player)
    result.at[index], result.number[index], result.change[index] = stored.at, stored.number, stored.change
    return result


def _compute_highest(players: Column, lines: StoredLines) -> Column:
    """Return each player's highest rating after a game, -inf for none; ``players`` ascending."""
    peaks = np.full(len(players), -np.inf)
    game = np.flatnonzero(lines.step == 1)
    row = find_rows(players, lines.player[game])
    np.maximum.at(peaks, row[row >= 0], lines.after[game[row >= 0]])
    return peaks


def _align_peaks(rows: Peaks, players: Column) -> Column:
    """Return each player's peak, -inf for none."""
    peaks = np.full(len(players), -np.inf)
    row = find_rows(rows.player, players)
    peaks[row >= 0] = rows.peak[row[row >= 0]]
    return peaks


def _raise_to_earlier_peaks(
    league: League,
    position: Position,
    change: Rule | None,
    new: CurrentRatings,
    old: CurrentRatings,
    stored: StoredLines,
) -> CurrentRatings:
    """Return ratings with peaks raised to those of the lines before a position, which a replay does not change.

    A stored peak above all stored lines from the position is from before it. If one of those lines has the peak and
    no new line reaches it, the history before the position must be read, from the last change of system, if any.
    """
    known_peaks = _align_peaks(Peaks(old.player, old.peak), new.player)
    unsure = (known_peaks <= _compute_highest(new.player, stored)) & (known_peaks > new.peak)
    peak = np.maximum(new.peak, np.where(unsure, -np.inf, known_peaks))
    players = new.player[unsure]
    if len(players):
        for lines in iter_lines_since(change, find_lines_before(league, position).filter(step=1)):
            selected_lines = lines.filter(player__in=players.tolist()) if len(players) <= MAX_LOOKUPS else lines
            stored_peaks = Peaks.read(
                selected_lines.order_by().values("player").annotate(peak=Max("after")).order_by("player")
            )
            peak[unsure] = np.maximum(peak[unsure], _align_peaks(stored_peaks, players))
    return replace(new, peak=peak)
