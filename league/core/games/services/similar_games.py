"""A sheet that looks as if another one had recorded it just before: whoever types at a desk is asked once.

Programs are not: what they send is a game, and an external_id or a key tells one that comes again.
"""

from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from league.core.errors import Conflict
from league.core.games.selectors.games import Lines, partners_of, played_alike
from league.core.games.services.game_input import NewGame, check_form, unsigned
from league.core.games.services.record import RecordedGame, record_in
from league.core.games.services.resolve_players import seen_table
from league.core.games.services.worksheets import with_worksheet_scores
from league.core.locking import with_league_lock
from league.core.text.names import key_of
from league.models import Game, League

#: Two sheets of one game are written within this.
WITHIN = timedelta(minutes=30)
#: At a table of two the same result comes again on the same evening: there only another's sheet is one to ask about.
TELLING = 3


class SimilarGame(Conflict):
    """A game of the same people, partners and scores was recorded just before."""

    def __init__(self, game: Game) -> None:
        super().__init__(_("Game {number} has the same people and scores.").format(number=game.number))
        self.game = game


def record_unless_alike(league_id: int, new: NewGame, *, by: str, asked: int | None) -> RecordedGame:
    """Record one game as ``record_game`` does; raises Alike if it looks like one of just before.

    ``asked`` is the number of the game about which a player was asked already, and said that theirs is another.
    """
    check_form(new)

    def work(league: League, now: datetime) -> RecordedGame:
        game = alike(league, new, now, by)
        if game is not None and game.number != asked:
            raise SimilarGame(game)
        return record_in(league, now, new, by)

    return with_league_lock(league_id, work)


def alike(league: League, new: NewGame, now: datetime, by: str) -> Game | None:
    """Return the game of about the same time, people, partners and scores; None if there is none to ask about."""
    table, names = seen_table(league, [result.player for result in new.results], new.viewer)
    keys = [key_of(name) for name in names]
    if not all(key in table.seats for key in keys):
        return None
    whole = with_worksheet_scores(league, new, now)
    seats = [(table.seats[key].player.pk, one) for key, one in zip(keys, whole.results, strict=True)]
    lines: Lines = frozenset(
        (player, None if one.score is None else unsigned(float(one.score)), one.place) for player, one in seats
    )
    partners = partners_of((player, one.side) for player, one in seats)
    game = played_alike(league, lines, partners, whole.played_at or now, WITHIN)
    return None if game is None or (game.recorded_by == by and len(lines) < TELLING) else game
