"""The latest corrections on a league's page, with their effects on ratings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from league.core.db.bounded_cache import cached
from league.core.games.selectors.corrections import Correction, load_latest_corrections
from league.core.games.selectors.games import ShownGame, load_games
from league.core.games.services.what_if import compute_changes_if_counted
from league.models import Game, League, Player, Rule

#: Maximum number of corrections listed, and of players named for each, largest change first.
MAX_CORRECTIONS, MAX_NAMED_PLAYERS = 3, 4


@dataclass(frozen=True)
class CorrectedPlayer:
    """The effect of a correction on a player's rating at the game."""

    handle: str
    name: str
    change: float


@dataclass(frozen=True)
class CorrectionSummary:
    """A correction, the players with the largest changes, and the number of others."""

    act: Correction
    moved: list[CorrectedPlayer]
    others: int
    pending: bool


def load_corrections(league: League, rules: Sequence[Rule], state: Any) -> list[CorrectionSummary]:
    """Return the latest corrections, latest first; cached until the next correction.

    ``state`` is that of the league's board, which changes with replays and edits of players.
    """
    acts = load_latest_corrections(league, MAX_CORRECTIONS)
    if not acts:
        return []
    about = [
        (correction.at, correction.old.pk, correction.new and correction.new.pk, correction.more) for correction in acts
    ]
    if state is None:
        return summarize_corrections(league, acts, rules)
    # Newly recorded games do not change it.
    versions = (state.created_at, state.replays, state.edits, league.stale_from)
    key = (league.pk, *versions, *about, *(rule.pk for rule in rules))
    return cached("corrections", key, lambda: summarize_corrections(league, acts, rules))


def summarize_corrections(league: League, acts: Sequence[Correction], rules: Sequence[Rule]) -> list[CorrectionSummary]:
    """Return corrections with their effects."""
    games = {
        game.pk
        for correction in acts
        for game in (correction.old, correction.new, correction.instead)
        if game is not None
    }
    views = {view.game.pk: view for view in load_games(league, Game.objects.filter(pk__in=games))}
    seated = [line.result.player for view in views.values() for line in view.results]
    players = Player.objects.in_bulk({player.merged_into_id or player.pk for player in seated})
    return [summarize_correction(league, correction, views, rules, players) for correction in acts]


def summarize_correction(
    league: League,
    correction: Correction,
    views: Mapping[int, ShownGame],
    rules: Sequence[Rule],
    players: Mapping[int, Player],
) -> CorrectionSummary:
    """Return a correction with its effects: the changes of the game that counts now, less those of the one before."""
    previous = correction.instead if correction.kind == "restored" else correction.old
    previous_changes = _load_rating_changes(league, views[previous.pk], rules) if previous is not None else {}
    now = _load_rating_changes(league, views[correction.new.pk], rules) if correction.new is not None else {}
    turns = {pk: now.get(pk, 0.0) - previous_changes.get(pk, 0.0) for pk in {*now, *previous_changes}}
    changed_players = [
        CorrectedPlayer(players[pk].handle, players[pk].name, turn) for pk, turn in turns.items() if turn
    ]
    changed_players.sort(key=lambda player: (-abs(player.change), player.handle))
    return CorrectionSummary(
        correction,
        changed_players[:MAX_NAMED_PLAYERS],
        len(changed_players[MAX_NAMED_PLAYERS:]),
        league.stale_from is not None,
    )


def _load_rating_changes(league: League, view: ShownGame, rules: Sequence[Rule]) -> dict[int, float]:
    """Return the rating changes of a game by player id; for a void game, the changes if it still counted."""
    if view.status == "rated":
        changes = [line.change for line in view.results if line.change is not None]
        return {change.player_id: change.change for change in changes}
    if view.status == "void":
        return compute_changes_if_counted(league, view.game, [line.result for line in view.results], rules)
    return {}
