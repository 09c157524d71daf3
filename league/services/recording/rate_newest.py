"""Rating the newest game: from where its players stand now, nothing before it being read."""

from collections.abc import Sequence

from league.models import Game, League, RatingChange, Result, Rule
from league.selectors.player_states import earlier_games
from league.selectors.players.seats import Table
from league.selectors.rules import rule_at, system_of
from league.services.ladders.periods import update_ladders
from league.services.replay.between import begin_anew
from league.services.replay.current_ratings import Ratings, refresh_ratings, update_ratings
from league.services.replay.inline import Entry, rate_entries
from league.services.replay.states import States, rated_others


def rate_newest(
    league: League, rules: Sequence[Rule], game: Game, lines: Sequence[Result], table: Table
) -> dict[int, RatingChange]:
    """Rate the newest game from the players' current state, and bring their ratings up to date.

    ``table`` was read under the league's lock. Returns player id -> their line of the history.
    """
    rule = rule_at(rules, game.played_at)
    assert rule is not None, "the sheet was checked against this rule"
    system = system_of(rule)
    results = [(line.player_id, line.score, line.place, line.seat, line.side) for line in lines]
    players = [line.player_id for line in lines]
    seats = [seat for seat in table.seats.values() if seat.player.pk in players]
    ratings = {seat.rating.player_id: seat.rating for seat in seats if seat.rating is not None}
    starts = {seat.player.pk: seat.start for seat in seats if seat.start is not None}
    states = States(len(system.state), players)
    states.put(ratings.values())
    states.put_starts(system, starts)
    states.pool.shift = table.shift
    earlier = earlier_games(league, rules, game.played_at)
    begin_anew(states.pool, earlier, players)
    if system.moves_everybody():
        states.pool.others = rated_others(league, rules, game.played_at, players)
    entry = Entry(game.pk, game.number, game.order_key, game.played_at, game.details, game.weight, results)
    changes = rate_entries(league, system, [entry], states)
    if table.newest is not None and rule_at(rules, table.newest[0]) != rule:
        # A new rule may show everybody's rating differently.
        refresh_ratings(league)
    else:
        peaks = {player: rating.peak for player, rating in ratings.items()}
        update_ratings(Ratings(league, system, states.pool.shift, earlier or {}), changes, peaks)
    if table.has_ladders:
        update_ladders(league, system, game.played_at, players, rules)
    return {change["player_id"]: RatingChange(**change) for change in changes}
