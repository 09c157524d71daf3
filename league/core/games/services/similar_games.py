"""Games that look like one recorded just before: recorded only after the sender confirmed that they are others."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from league.core.capabilities import Contradiction
from league.core.errors import Conflict
from league.core.games.selectors.games import Lines, find_last_equal_game, group_partners
from league.core.games.services.attaching import follow_results, list_contradictions
from league.core.games.services.computed_results import compute_results
from league.core.games.services.game_input import (
    NewGame,
    check_form,
    normalize_negative_zero,
)
from league.core.games.services.record import RecordedGame, record_in
from league.core.games.services.resolve_players import find_sheet_players
from league.core.locking import locked
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


class ContradictingGame(Conflict):
    """What waits for the same as a game says otherwise."""

    def __init__(self, found: Sequence[Contradiction]) -> None:
        super().__init__(" ".join(one.sentence for one in found))
        self.marks = [one.mark for one in found]
        self.consequence = found[0].consequence


def record_unless_alike(
    league_id: int, new: NewGame, *, username: str, confirmed_number: int | None, confirmed_marks: Collection[str] = ()
) -> RecordedGame:
    """Record one game like ``record_game``; raises SimilarGame if it looks like a recent one.

    Raises ContradictingGame if what waits for the same says otherwise. ``confirmed_number``: the number of the similar
    game that the user has confirmed to be a different one; ``confirmed_marks``: of contradictions that may be settled.
    """
    check_form(new)
    return _record_unless_alike(league_id, new, username, confirmed_number, confirmed_marks)


@locked
def _record_unless_alike(
    league: League,
    now: datetime,
    new: NewGame,
    username: str,
    confirmed_number: int | None,
    confirmed_marks: Collection[str],
) -> RecordedGame:
    game = find_similar_game(league, new, now, username)
    if game is not None and game.number != confirmed_number:
        raise SimilarGame(game)
    recorded = record_in(league, now, new, username, settles=False)
    if recorded.fixture is not None:
        attached = {recorded.fixture: recorded.game.number}
        contradictions = list_contradictions(league, attached)
        if any(one.mark not in confirmed_marks for one in contradictions):
            raise ContradictingGame(contradictions)
        follow_results(league, now, username, attached)
    return recorded


def find_similar_game(league: League, new: NewGame, now: datetime, username: str) -> Game | None:
    """Return a game with similar time, and the same players, partners and scores; None if there is none."""
    seated = find_sheet_players(league, [result.player for result in new.results], new.viewer).seats
    if not all(result.player in seated for result in new.results):
        return None
    scored = compute_results(league, new, now)
    seats = [(seated[seat_result.player].player.pk, seat_result) for seat_result in scored.results]
    lines: Lines = frozenset(
        (
            player,
            None if seat_result.score is None else normalize_negative_zero(float(seat_result.score)),
            seat_result.place,
        )
        for player, seat_result in seats
    )
    partners = group_partners((player, seat_result.side) for player, seat_result in seats)
    game = find_last_equal_game(league, lines, partners, scored.played_at or now, WITHIN)
    return None if game is None or (game.recorded_by == username and len(lines) < TELLING) else game
