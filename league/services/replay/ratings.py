"""The current ratings that follow from a replay, as columns: written where they differ from those that are stored."""

from collections.abc import Sequence

import numpy as np
from django.db.models import Max

from league.db.columns import Column, moment_column, read_columns
from league.db.make_equal import Table, make_equal
from league.models import League, Rating, RatingChange, Rule
from league.selectors.ladders.tallies import newest_lines
from league.selectors.rules import rule_at, system_of
from league.services.replay.compute import STATES, PlayerStates, Replay
from league.services.replay.history import Position, lines_before

#: So many players are looked up each; for more of them all are read at once.
FEW = 2000
RATING_KINDS = {
    "player": "key", "games": "whole", "last_number": "key", "last_at": "moment",
    **dict.fromkeys(
        ("rating", "settled", "shift", "score", "peak", "change", *STATES), "float"
    ),
}  # fmt: skip
#: The current ratings of one league.
RATINGS = Table(Rating, ("player",), tuple(RATING_KINDS), {"league": "key", **RATING_KINDS})


def write_ratings(replay: Replay, lines: dict[str, Column], affected: Column) -> None:
    """Write the current ratings of the players of a replay where they differ from what is stored.

    ``lines`` is the history from its position on as it is now. ``affected`` are the players with another line than
    before; nobody else's rating moved, unless the pool's shift or another rule moved everybody's.
    """
    league, position, states = replay.league, replay.position, replay.known.states
    if position is not None and len(replay.rules) == 1 and not states.pool.shift:
        states = states.of(affected)
        kept = np.isin(lines["player"], affected)
        lines = {name: values[kept] for name, values in lines.items()}
    old = stored_ratings(league, states.ids, position)
    new = computed_ratings(league, replay.rules, states, lines)
    if position is not None:
        put_earlier_peaks(league, position, new, old, replay.known.stored)
    new["league"] = np.full(len(new["player"]), league.pk, dtype=np.int64)
    make_equal(RATINGS, old, new, Rating.objects.filter(league=league) if position is None else None)


def stored_ratings(league: League, ids: Column, position: Position | None) -> dict[str, Column]:
    """Return the stored ratings of these players, all of the league where the replay begins with nothing."""
    rows = Rating.objects.filter(league=league).order_by("player_id")
    names = [
        "player_id" if name == "player" else moment_column(name) if kind == "moment" else name
        for name, kind in RATING_KINDS.items()
    ]
    old = read_columns(rows.values_list("pk", *names), pk="key", **RATING_KINDS)
    if position is None:
        return old
    kept = np.isin(old["player"], ids)
    return {name: values[kept] for name, values in old.items()}


def computed_ratings(
    league: League,
    rules: Sequence[Rule],
    states: PlayerStates,
    lines: dict[str, Column],
) -> dict[str, Column]:
    """Return the current ratings of the players who have a game, in ascending order of their ids.

    Peaks are those of the lines.
    """
    pool, ids = states.pool, states.ids
    played = np.flatnonzero(pool.games > 0)
    new: dict[str, Column] = {
        "player": ids[played],
        "games": pool.games[played].astype(np.int64),
        "rating": pool.ratings()[played] + 0.0,
        "settled": pool.values[played, 0],
        "shift": pool.shift_at[played],
    }
    for index, name in enumerate(STATES, 1):
        new[name] = pool.values[played, index] if pool.values.shape[1] > index else np.zeros(len(played))
    put_last(league, lines, new)
    new["peak"] = highest(new["player"], lines)
    newest = (
        RatingChange.objects.filter(league=league).order_by("-at", "-order_key").values_list("at", flat=True).first()
    )
    rule = rule_at(rules, newest) if newest else None
    put_scores(rule, new)
    return new


def put_scores(rule: Rule | None, new: dict[str, Column]) -> None:
    """Fill in the display scores by the rule of the league's last rated game; None where there is none."""
    scores = []
    if rule is not None:
        system = system_of(rule)
        columns = [new["rating"].tolist(), *(new[name].tolist() for name in STATES), new["games"].tolist()]
        scores = [system.display(state, games) for *state, games in zip(*columns, strict=True)]
    new["score"] = np.array(scores, dtype=np.float64)


def put_last(league: League, lines: dict[str, Column], new: dict[str, Column]) -> None:
    """Fill in change, time and number of each player's last game."""
    game = np.flatnonzero(lines["step"] == 1)
    order = game[np.lexsort((lines["games"][game], lines["player"][game]))]
    players = lines["player"][order]
    last = np.searchsorted(players, new["player"], side="right") - 1
    here = last >= 0
    here[here] = players[last[here]] == new["player"][here]
    rows = order[last[here]]
    new["last_at"] = np.empty(len(here), dtype=lines["at"].dtype)
    new["last_number"], new["change"] = np.zeros(len(here), dtype=np.int64), np.zeros(len(here))
    new["last_at"][here], new["last_number"][here] = lines["at"][rows], lines["number"][rows]
    new["change"][here] = lines["change"][rows]
    absent = new["player"][~here]
    for start in range(0, len(absent), 5000):
        earlier = RatingChange.objects.filter(league=league, step=1, player__in=absent[start : start + 5000].tolist())
        found = read_columns(
            newest_lines(earlier).values_list("player_id", moment_column("at"), "number", "change"),
            player="key", at="moment", number="key", change="float",
        )  # fmt: skip
        index = np.searchsorted(new["player"], found["player"])
        new["last_at"][index], new["last_number"][index] = found["at"], found["number"]
        new["change"][index] = found["change"]


def row_of(players: Column, wanted: Column) -> Column:
    """Return the row of each wanted player among these, who are in ascending order; -1 for who is not there."""
    found = np.searchsorted(players, wanted)
    inside = found < len(players)
    inside[inside] = players[found[inside]] == wanted[inside]
    return np.where(inside, found, -1)


def highest(players: Column, lines: dict[str, Column]) -> Column:
    """Return each player's highest rating after a game, -inf for none; ``players`` in ascending order."""
    peaks = np.full(len(players), -np.inf)
    game = np.flatnonzero(lines["step"] == 1)
    row = row_of(players, lines["player"][game])
    np.maximum.at(peaks, row[row >= 0], lines["after"][game[row >= 0]])
    return peaks


def peaks_of(rows: dict[str, Column], players: Column) -> Column:
    """Return the peak that each player has in rows of player (ascending) and peak, -inf for who has none."""
    peaks = np.full(len(players), -np.inf)
    row = row_of(rows["player"], players)
    peaks[row >= 0] = rows["peak"][row[row >= 0]]
    return peaks


def put_earlier_peaks(
    league: League, position: Position, new: dict[str, Column], old: dict[str, Column], stored: dict[str, Column]
) -> None:
    """Raise the peaks to those of the lines before a position, which a replay from there on leaves as they are.

    A stored peak that none of the stored lines from the position on has is one of those before. Where one of
    them has it and no new line reaches it, only the history before the position tells.
    """
    known = peaks_of(old, new["player"])
    unsure = (known <= highest(new["player"], stored)) & (known > new["peak"])
    new["peak"] = np.maximum(new["peak"], np.where(unsure, -np.inf, known))
    players = new["player"][unsure]
    if not len(players):
        return
    earlier = lines_before(league, position).filter(step=1)
    if len(players) <= FEW:
        earlier = earlier.filter(player__in=players.tolist())
    peaks = earlier.order_by().values("player").annotate(peak=Max("after")).order_by("player")
    found = read_columns(peaks.values_list("player", "peak"), player="key", peak="float")
    new["peak"][unsure] = np.maximum(new["peak"][unsure], peaks_of(found, players))
