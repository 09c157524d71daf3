"""A league's latest corrections, derived from the facts, so that a restored league shows the same.

A game that replaces another and was recorded when that one was voided is a correction; recorded later it is a
restoration. Games voided at the same time belong to the same action, and one action may rewrite many games.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from league.models import Game, League

#: Maximum number of games considered, newest first.
MAX_GAMES = 40


@dataclass(frozen=True)
class Correction:
    """A correction: the voided game, the game that counts since (None: none), and the game voided in its favour.

    ``more``: the number of other games considered that the same action voided or rewrote.
    """

    at: datetime
    old: Game
    new: Game | None
    instead: Game | None
    more: int = 0

    @property
    def kind(self) -> str:
        """Return "corrected", "restored" or "voided"."""
        if self.new is None:
            return "voided"
        return "corrected" if self.old.voided_at == self.at else "restored"

    @property
    def reason(self) -> str:
        """Return the reason; empty for a restoration that voids no other game: only the log has it."""
        game = self.instead if self.kind == "restored" else self.old
        return game.void_reason if game is not None else ""


def load_latest_corrections(league: League, max_corrections: int) -> list[Correction]:
    """Return the latest corrections, voidings and restorations, newest first, with two queries."""
    void = Game.objects.filter(league=league, voided_at__isnull=False).order_by("-voided_at", "-number")[:MAX_GAMES]
    anew = Game.objects.filter(league=league, replaces__isnull=False).order_by("-number")[:MAX_GAMES]
    voided, replacing = list(void), list(anew.select_related("replaces"))
    acts = [
        _build_correction(list(games), voided) for _, games in groupby(replacing, key=lambda game: game.recorded_at)
    ]
    replaced_keys = {
        (correction.at, game.replaces.order_key)
        for correction in acts
        for game in replacing
        if game.recorded_at == correction.at and game.replaces is not None
    }
    unreplaced = [game for game in voided if (game.voided_at, game.order_key) not in replaced_keys]
    acts += [void_of(list(games)) for _, games in groupby(unreplaced, key=lambda game: game.voided_at)]
    return sorted(acts, key=lambda correction: correction.at, reverse=True)[:max_corrections]


def _build_correction(games: Sequence[Game], voided: Sequence[Game]) -> Correction:
    """Return the correction that recorded some games at one time, described by the first of them."""
    first = min(games, key=lambda game: game.number)
    old = first.replaces
    assert old is not None
    candidates = (game for game in voided if game.voided_at == first.recorded_at and game.order_key == old.order_key)
    instead = next((game for game in candidates if game.pk != old.pk), None)
    return Correction(first.recorded_at, old, first, instead, len(games) - 1)


def void_of(games: Sequence[Game]) -> Correction:
    """Return the correction that voided some games at one time, described by the first of them."""
    first = min(games, key=lambda game: game.number)
    assert first.voided_at is not None
    return Correction(first.voided_at, first, None, None, len(games) - 1)
