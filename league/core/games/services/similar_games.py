"""Detects sheets that look like a game recorded just before, and asks the user once.

API clients are not asked: they use an external_id or an idempotency key to avoid duplicates.
"""

from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from league.core.errors import Conflict
from league.core.games.selectors.games import Lines, partners_of, played_alike
from league.core.games.services.game_input import NewGame, check_form, with_worksheet_scores, without_negative_zero
from league.core.games.services.record import RecordedGame, record_in
from league.core.games.services.resolve_players import seen_table
from league.core.locking import locked
from league.core.text.names import key_of
from league.models import Game, League

#: Time within which two sheets may be of one game.
WITHIN = timedelta(minutes=30)
#: Fewest players for comparing a user's own sheets: at a table of two the same result often occurs again.
TELLING = 3


class SimilarGame(Conflict):
    """A game with the same players, partners and scores was recorded just before."""

    def __init__(self, game: Game) -> None:
        super().__init__(_("Game {number} has the same players and scores.").format(number=game.number))
        self.game = game


def record_unless_alike(league_id: int, new: NewGame, *, by: str, asked: int | None) -> RecordedGame:
    """Record one game like ``record_game``; raises SimilarGame if it looks like a recent one.

    ``asked``: the number of the similar game that the user has confirmed to be a different one.
    """
    check_form(new)
    return _record_unless_alike(league_id, new, by, asked)


@locked
def _record_unless_alike(league: League, now: datetime, new: NewGame, by: str, asked: int | None) -> RecordedGame:
    game = find_similar_game(league, new, now, by)
    if game is not None and game.number != asked:
        raise SimilarGame(game)
    return record_in(league, now, new, by)


def find_similar_game(league: League, new: NewGame, now: datetime, by: str) -> Game | None:
    """Return a game with similar time, and the same players, partners and scores; None if there is none."""
    table, names = seen_table(league, [result.player for result in new.results], new.viewer)
    keys = [key_of(name) for name in names]
    if not all(key in table.seats for key in keys):
        return None
    whole = with_worksheet_scores(league, new, now)
    seats = [(table.seats[key].player.pk, one) for key, one in zip(keys, whole.results, strict=True)]
    lines: Lines = frozenset(
        (player, None if one.score is None else without_negative_zero(float(one.score)), one.place)
        for player, one in seats
    )
    partners = partners_of((player, one.side) for player, one in seats)
    game = played_alike(league, lines, partners, whole.played_at or now, WITHIN)
    return None if game is None or (game.recorded_by == by and len(lines) < TELLING) else game
