"""Whether a game could be recorded now: the refusals of the one door, and nothing written."""

from datetime import datetime

from league.models import League, Player
from league.selectors.rules import rules_of, rules_rating
from league.services.recording.game_input import NewGame, check_form, check_sheet, check_time
from league.services.recording.games import seated
from league.services.recording.worksheets import completed, refuse_beside


def check_game(league: League, now: datetime, new: NewGame) -> list[Player]:
    """Return who sits at the table, in seat order; raises Invalid or Refused as ``record_game`` would.

    The league must be locked. Nobody is added: a sheet with ``create_players`` is none of those that come here.
    """
    check_form(new)
    refuse_beside(new)
    players = seated(league, new).players
    whole = completed(league, new, now)
    played_at, rules = new.played_at or now, rules_of(league)
    check_time(played_at, now, rules)
    check_sheet(whole, rules_rating(rules, played_at), players)
    return players
