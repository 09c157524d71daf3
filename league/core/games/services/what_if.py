"""Predicts the rating changes of a game that has not been played.

It writes and locks nothing, but belongs to the services because only they may run kernels.
It uses the states at the time of the game and the same calculation as recording, so the changes are
bit-identical.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils import timezone
from django.utils.translation import gettext as _

from league.core.errors import Busy, Problem, Refused
from league.core.games.selectors.games import is_pending
from league.core.games.services.game_input import (
    NewGame,
    check_form,
    check_sheet,
    check_time,
    refuse_worksheet_in_details,
    sheet_of,
    sheet_recorded,
    with_scores_under,
)
from league.core.games.services.rate_game import StateArrays, states_at, states_before
from league.core.games.services.record import find_seats, known_game
from league.core.games.services.resolve_players import seen_table
from league.core.leagues.selectors.rules import rule_at, rules_of, rules_rating, system_of
from league.core.text.names import key_of, name_problem
from league.models import Game, League, Player, Result, Rule
from ratings.contract.system import GameSheet, RatingSystem
from ratings.describe.outcomes import is_open, possible_outcomes, why_unlisted
from ratings.run.replay import RatedGame, rate_game


@dataclass(frozen=True)
class WhatIf:
    """A hypothetical game: the rule that would rate it, and each outcome with its result.

    ``handles`` and ``names`` are in seat order; a player who would be added has the same text for both.
    """

    played_at: datetime
    rule: Rule
    system: RatingSystem
    handles: list[str]
    names: list[str]
    outcomes: list[tuple[GameSheet, RatedGame]]


def what_if(league: League, new: NewGame) -> WhatIf:
    """Return the changes of a game: for its outcome if ``new`` has one, else for every possible outcome.

    Raises Invalid, Refused or Conflict like ``record_game`` (but the game may be further in the future);
    also Refused for unrated games and for outcomes that cannot be listed; Busy while the
    ratings before the game are being replayed.
    """
    check_form(new)
    now = timezone.now()
    played_at = new.played_at or now
    rules = rules_of(league)
    rule = check_time(played_at, max(now, played_at), rules)
    refuse_worksheet_in_details(new)
    players = seated_players(league, new)
    if known := known_game(league, new, players):
        sentence = _("external_id “{external_id}” belongs to game {number}, which has been played.")
        said = sentence.format(external_id=new.external_id, number=known.number)
        raise Refused.of([Problem("/external_id", "played", said)])
    # Some systems depend on the time since a player's last game; the default is now.
    new = replace(with_scores_under(rule, new), played_at=played_at)
    if new.kind != Game.Kind.PLAYED:
        sentence = _("Only played games are rated; a {kind} changes nothing.").format(kind=new.kind)
        raise Refused.of([Problem("/kind", "unrated", sentence)])
    if league.stale_from is not None and league.stale_from <= played_at:
        sentence = _("The ratings since {time} UTC are being recalculated; try again soon.")
        raise Busy(sentence.format(time=f"{league.stale_from:%Y-%m-%d %H:%M}"))
    sheets = outcomes_of(new, rules_rating(rules, played_at), players)
    states = states_at(league, played_at, rules, system_of(rule), [player.pk for player in players])
    system = system_of(rule)
    return WhatIf(
        played_at,
        rule,
        system,
        [player.handle for player in players],
        [player.name for player in players],
        [(sheet, rate(system, sheet, states)) for sheet in sheets],
    )


def changes_if_counted(league: League, game: Game, lines: Sequence[Result], rules: Sequence[Rule]) -> dict[int, float]:
    """Return player id -> rating change of a void game if it counted in its place; empty if it changes none.

    ``lines``: its results in seat order, with their players and the players those were merged into.
    """
    rule = rule_at(rules, game.played_at)
    waits = league.stale_from is not None and is_pending(league.stale_from, league.stale_key, game)
    if rule is None or game.kind != Game.Kind.PLAYED or waits:
        return {}
    system, players = system_of(rule), [line.player.merged_into_id or line.player_id for line in lines]
    sheet = sheet_recorded(game, lines)
    if system.check(sheet) or len(set(players)) < len(players):
        return {}
    rated = rate(system, sheet, states_before(league, game.position, rules, system, players))
    return dict(zip(players, map(float, rated.change), strict=True))


def seated_players(league: League, new: NewGame) -> list[Player]:
    """Return the players in seat order; players to be added are unsaved, with unique keys."""
    if not new.create_players:
        return find_seats(league, new).players
    table, words = seen_table(league, [result.player for result in new.results], new.viewer)
    found = {key: seat.player for key, seat in table.seats.items()}
    for seat, word in enumerate(words):
        if key_of(word) in found:
            continue
        sentence = name_problem(word)
        if sentence:
            text = _("“{name}” cannot be added as a player: {reason}").format(name=word, reason=sentence)
            raise Refused.of([Problem(f"/results/{seat}/player", "unknown_player", text)])
        found[key_of(word)] = Player(pk=-1 - seat, handle=word, name=new.names.get(key_of(word), word))
    return [found[key_of(word)] for word in words]


def outcomes_of(new: NewGame, rules: Sequence[Rule], players: Sequence[Player]) -> list[GameSheet]:
    """Return the submitted sheet, or one for every outcome; raises Refused like ``record_game``.

    rules: the rules that would rate it.
    """
    system, sheet = system_of(rules[0]), sheet_of(new)
    if not is_open(sheet):
        check_sheet(new, rules, players)
        return [sheet]
    if system.fewest_players <= sheet.size <= system.most_players and (
        sentence := why_unlisted(system, len(set(sheet.captains)))
    ):
        raise Refused.of([Problem("/results", "no_outcome", sentence)])
    in_order = [replace(line, place=captain + 1) for captain, line in zip(sheet.captains, new.results, strict=True)]
    # Size, players and game fields are checked here, before all orders are generated.
    check_sheet(replace(new, results=in_order), rules, players)
    return [one for one in possible_outcomes(system, sheet) if not system.check(one)]


def rate(system: RatingSystem, sheet: GameSheet, states: StateArrays) -> RatedGame:
    """Rate one outcome without changing the states."""
    pool = states.pool
    played = pool.games.tolist()
    before = [
        # As in the replay: includes the pool's shift since the last game.
        [rating + (pool.shift - shift_at) if games else rating, *rest]
        for (rating, *rest), games, shift_at in zip(pool.values.tolist(), played, pool.shift_at.tolist(), strict=True)
    ]
    return rate_game(system, before, [int(games) for games in played], sheet, shift=pool.shift, started=pool.started)
