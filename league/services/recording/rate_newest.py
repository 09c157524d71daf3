"""Rating the newest game: from where its players stand now, nothing before it being read."""

from collections.abc import Mapping, Sequence

from league.models import Game, InitialRating, League, Rating, RatingChange, Result, Rule
from league.selectors.players.seats import Table
from league.selectors.rules import rule_at, system_of
from league.services.ladders.periods import update_ladders
from league.services.replay.compute import start_of
from league.services.replay.current_ratings import refresh_ratings, update_ratings
from league.services.replay.history import Position
from league.services.replay.inline import Entry, States, rate_entries
from ratings.contract.system import RatingSystem


def rate_newest(
    league: League, rules: Sequence[Rule], game: Game, lines: Sequence[Result], table: Table
) -> dict[int, RatingChange]:
    """Rate the newest game from the players' current state, and bring their ratings up to date.

    ``table`` was read under the league's lock. Returns player id -> his line of the history.
    """
    rule = rule_at(rules, game.played_at)
    assert rule is not None, "the sheet was checked against this rule"
    system = system_of(rule)
    results = [(line.player_id, line.score, line.place, line.seat) for line in lines]
    players = [line.player_id for line in lines]
    seats = [seat for seat in table.seats.values() if seat.alias.player_id in players]
    ratings = {seat.rating.player_id: seat.rating for seat in seats if seat.rating is not None}
    starts = {seat.alias.player_id: seat.start for seat in seats if seat.start is not None}
    states = states_of(league, system, rules, players, ratings, starts, table.shift)
    entry = Entry(game.pk, game.number, game.order_key, game.played_at, game.details, results)
    changes = rate_entries(league, system, [entry], states)
    if table.newest is not None and rule_at(rules, table.newest[0]) != rule:
        # A new rule may show everybody's rating differently.
        refresh_ratings(league)
    else:
        peaks = {player: rating.peak for player, rating in ratings.items()}
        update_ratings(league, system, changes, peaks, states.pool.shift)
    if table.has_ladders:
        update_ladders(league, system, game.played_at, players)
    return {change["player_id"]: RatingChange(**change) for change in changes}


def newest_position(league: League) -> Position | None:
    """Return the place of the last rated game in the order."""
    changes = RatingChange.objects.filter(league=league).order_by("-at", "-order_key")
    return changes.values_list("at", "order_key").first()


def current_states(league: League, system: RatingSystem, rules: Sequence[Rule], players: Sequence[int]) -> States:
    """Return the current state of a few players, and the pool's shift where the system has one."""
    current = {rating.player_id: rating for rating in Rating.objects.filter(league=league, player__in=players)}
    starts = dict(InitialRating.objects.filter(league=league, player__in=players).values_list("player_id", "rating"))
    newest = RatingChange.objects.filter(league=league).order_by("-at", "-order_key", "-step")
    shift = newest.values_list("shift", flat=True).first() or 0.0
    return states_of(league, system, rules, players, current, starts, shift)


def states_of(
    league: League,
    system: RatingSystem,
    rules: Sequence[Rule],
    players: Sequence[int],
    ratings: Mapping[int, Rating],
    starts: Mapping[int, float],
    shift: float,
) -> States:
    """Return the states that players have by their current ratings, and by their starts where they have none yet."""
    width = len(system.state)
    states = States(width, players)
    pool = states.pool
    for player, index in states.position.items():
        rating = ratings.get(player)
        if rating is None:
            pool.values[index] = start_of(system_of(rules[0]), starts.get(player))
            continue
        pool.values[index] = [rating.settled, rating.state_1, rating.state_2, rating.state_3][:width]
        pool.games[index], pool.shift_at[index] = rating.games, rating.shift
    pool.shift = shift
    if system.moves_everybody():
        pool.others = Rating.objects.filter(league=league).count() - len(ratings)
    return states
