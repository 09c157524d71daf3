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
from league.core.games.services.attaching import GameAttacher, find_attachment
from league.core.games.services.computed_results import compute_results_by_rule, refuse_computed_details
from league.core.games.services.game_input import (
    NewGame,
    build_recorded_sheet,
    build_sheet,
    check_form,
    check_sheet,
    check_time,
)
from league.core.games.services.rate_game import StateArrays, load_states_at, load_states_before
from league.core.games.services.record import find_known_game, find_seats
from league.core.games.services.resolve_players import find_sheet_players, refuse_unresolved
from league.core.rules.selectors.rules import build_rule_system, find_rule_at, find_rules_rating, load_rules
from league.core.text.names import build_name_key
from league.models import Game, League, Player, Result, Rule
from ratings.contract.system import GameSheet, RatingSystem
from ratings.describe.outcomes import explain_missing_outcomes, is_open, iter_outcomes
from ratings.run.replay import RatedGame, rate_game


@dataclass(frozen=True)
class WhatIf:
    """A hypothetical game: the rule that would rate it, and each outcome with its result.

    ``handles`` and ``names`` are in seat order; a player who would be added has the same text for both.
    ``states`` are those before the game.
    """

    played_at: datetime
    rule: Rule
    system: RatingSystem
    handles: list[str]
    names: list[str]
    outcomes: list[tuple[GameSheet, RatedGame]]
    states: StateArrays


def compute_what_if(
    league: League, new: NewGame, rules: Sequence[Rule] | None = None, attacher: GameAttacher | None = None
) -> WhatIf:
    """Return the changes of a game: for its outcome if ``new`` has one, else for every possible outcome.

    Raises Invalid, Refused or Conflict like ``record_game`` (but the game may be further in the future);
    also Refused for unrated games and for outcomes that cannot be listed; Busy while the
    ratings before the game are being replayed. ``rules``: the league's rules, if already loaded. ``attacher``: finds
    what a game with an outcome is recorded for, because of which it may be unrated.
    """
    check_form(new)
    now = timezone.now()
    played_at = new.played_at or now
    rules = load_rules(league) if rules is None else rules
    rule = check_time(played_at, max(now, played_at), rules)
    refuse_computed_details(new)
    players = _list_seated_players(league, new)
    if existing := find_known_game(league, new, players):
        template = _("external_id “{external_id}” belongs to game {number}, which has been played.")
        message = template.format(external_id=new.external_id, number=existing.number)
        raise Refused.of([Problem("/external_id", "played", message)])
    # Some systems depend on the time since a player's last game; the default is now.
    new = replace(compute_results_by_rule(rule, new), played_at=played_at)
    # What refuses a game of another kind is said before the kind, which changes nothing anyway.
    if attacher is not None and (new.kind != Game.Kind.PLAYED or not is_open(build_sheet(new))):
        _refuse_unrated_result(league, new, players, attacher)
    if new.kind != Game.Kind.PLAYED:
        template = _("Only played games are rated; a {kind} changes nothing.").format(kind=new.kind)
        raise Refused.of([Problem("/kind", "unrated", template)])
    refuse_during_replay(league, played_at)
    sheets = _list_outcome_sheets(new, find_rules_rating(rules, played_at), players)
    states = load_states_at(league, played_at, rules, build_rule_system(rule), [player.pk for player in players])
    system = build_rule_system(rule)
    return WhatIf(
        played_at,
        rule,
        system,
        [player.handle for player in players],
        [player.name for player in players],
        [(sheet, rate(system, sheet, states)) for sheet in sheets],
        states,
    )


def _refuse_unrated_result(league: League, new: NewGame, players: Sequence[Player], attacher: GameAttacher) -> None:
    """Raise Refused if a game is the result of something whose games are not rated, or cannot be its result."""
    attachment = find_attachment(attacher, league, new, players)
    if attachment is not None and attachment.kind != new.kind:
        raise Refused.of([Problem("/kind", "unrated", _("This game is not rated."))])


def refuse_during_replay(league: League, time: datetime) -> None:
    """Raise Busy if the ratings at a time are being replayed."""
    if league.stale_from is not None and league.stale_from <= time:
        template = _("The ratings since {time} UTC are being recalculated; try again soon.")
        raise Busy(template.format(time=f"{league.stale_from:%Y-%m-%d %H:%M}"))


def compute_change(what_if: WhatIf, sheet: GameSheet, seat: int) -> float | None:
    """Return the change of a seat (from 0) by another result of the same players; None if the system refuses it."""
    if what_if.system.check(sheet):
        return None
    return float(rate(what_if.system, sheet, what_if.states).change[seat])


def compute_changes_if_counted(
    league: League, game: Game, lines: Sequence[Result], rules: Sequence[Rule]
) -> dict[int, float]:
    """Return player id -> rating change of a void game if it counted in its place; empty if it changes none.

    ``lines``: its results in seat order, with their players and the players those were merged into.
    """
    rule = find_rule_at(rules, game.played_at)
    is_waiting = league.stale_from is not None and is_pending(league.stale_from, league.stale_key, game)
    if rule is None or game.kind != Game.Kind.PLAYED or is_waiting:
        return {}
    system, players = build_rule_system(rule), [line.player.merged_into_id or line.player_id for line in lines]
    sheet = build_recorded_sheet(game, lines)
    if system.check(sheet) or len(set(players)) < len(players):
        return {}
    rated = rate(system, sheet, load_states_before(league, game.position, rules, system, players))
    return dict(zip(players, map(float, rated.change), strict=True))


def _list_seated_players(league: League, new: NewGame) -> list[Player]:
    """Return the players in seat order; players to be added are unsaved, with unique keys."""
    if not new.create_players:
        return find_seats(league, new).players
    texts = [result.player for result in new.results]
    table = find_sheet_players(league, texts, new.viewer)
    refuse_unresolved(league, table, texts, new.viewer, create_players=True)
    added: dict[str, Player] = {}
    for seat, (text, key) in enumerate(zip(texts, map(build_name_key, texts), strict=True)):
        if text not in table.seats:
            added.setdefault(key, Player(pk=-1 - seat, handle=text, name=new.names.get(key, text)))
    return [table.seats[text].player if text in table.seats else added[build_name_key(text)] for text in texts]


def _list_outcome_sheets(new: NewGame, rules: Sequence[Rule], players: Sequence[Player]) -> list[GameSheet]:
    """Return the submitted sheet, or one for every outcome; raises Refused like ``record_game``.

    rules: the rules that would rate it.
    """
    system, sheet = build_rule_system(rules[0]), build_sheet(new)
    if not is_open(sheet):
        check_sheet(new, rules, players)
        return [sheet]
    if system.min_players <= sheet.size <= system.max_players and (
        reason := explain_missing_outcomes(system, len(set(sheet.captains)))
    ):
        raise Refused.of([Problem("/results", "no_outcome", reason)])
    in_order = [replace(line, place=captain + 1) for captain, line in zip(sheet.captains, new.results, strict=True)]
    # Size, players and game fields are checked here, before all orders are generated.
    check_sheet(replace(new, results=in_order), rules, players)
    return [outcome for outcome in iter_outcomes(system, sheet) if not system.check(outcome)]


def rate(system: RatingSystem, sheet: GameSheet, states: StateArrays) -> RatedGame:
    """Rate one outcome without changing the states."""
    pool = states.pool
    game_counts = [int(games) for games in pool.games.tolist()]
    return rate_game(system, list_states(states), game_counts, sheet, shift=pool.shift, started=pool.started)


def list_states(states: StateArrays) -> list[list[float]]:
    """Return the states with which players would begin a game now."""
    pool = states.pool
    return [
        # As in the replay: includes the pool's shift since the last game.
        [rating + (pool.shift - shift_at) if games else rating, *other_fields]
        for (rating, *other_fields), games, shift_at in zip(
            pool.values.tolist(), pool.games.tolist(), pool.shift_at.tolist(), strict=True
        )
    ]
