"""Players' current ratings, derived from the history."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, Max, Window
from django.db.models.functions import RowNumber

from league.core.db.bulk import insert_few
from league.core.db.isolation import long_snapshot
from league.core.leagues.selectors.rules import last_change, rule_of_ratings, rules_of, system_of
from league.core.locking import with_league_lock
from league.core.replay.selectors.player_states import earlier_games
from league.core.replay.services.between_games import STATES, lines_since
from league.models import GamelessChange, League, Rating, RatingChange
from ratings.contract.system import RatingSystem

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
