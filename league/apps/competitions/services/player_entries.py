"""What players change themselves: entries in competitions and seasons, and the rounds in which they ask for a bye."""

from datetime import datetime

from django.utils.translation import gettext as _

from league.apps.competitions.models import Competition, Entry, Season
from league.apps.competitions.selectors.competitions import find_competition
from league.apps.competitions.selectors.player_entries import PLAYERS_BYE, PlayerEntry, find_player_entry
from league.apps.competitions.selectors.season_standings import plays
from league.apps.competitions.selectors.seasons import find_season, list_entries, takes_player_entries
from league.apps.competitions.services.entries import NewEntry, add_entries, change_entry, withdraw_entry
from league.apps.competitions.services.regulations import ConfirmationNeeded
from league.apps.competitions.services.season_entries import NewSeasonEntry, add_season_entries, change_season_entry
from league.core.errors import Conflict, Refused
from league.core.locking import locked
from league.models import League, Player


@locked
def enter_player(league: League, now: datetime, slug: str, player: Player, *, by: str) -> PlayerEntry:
    """Enter a player who asks for it. Entering twice changes nothing. Raises NotFound, Conflict or Refused."""
    own = _find_own(league, slug, player)
    if own.is_entered:
        return own
    if not own.may_enter:
        template = _("{competition} takes no entries from players. Ask an organiser.")
        raise Conflict(template.format(competition=own.competition.title))
    add_entries(league.pk, slug, [NewEntry([player.handle])], by=by)
    return find_player_entry(own.competition, player)


@locked
def withdraw_player(league: League, now: datetime, slug: str, player: Player, *, by: str) -> Entry:
    """Withdraw a player who asks for it. Raises NotFound, Conflict or Refused."""
    own = _find_own(league, slug, player)
    entry = _require_entry(own)
    if not own.may_leave:
        template = _("{competition} has begun; ask an organiser to withdraw you.")
        raise Conflict(template.format(competition=own.competition.title))
    return withdraw_entry(league.pk, slug, entry.number, by=by)


@locked
def change_player_bye(
    league: League, now: datetime, slug: str, player: Player, round_number: int, *, wanted: bool, by: str
) -> Entry:
    """Request a half-point bye for a player in a round, or cancel it. Raises NotFound, Refused or Conflict."""
    own = _find_own(league, slug, player)
    entry = _require_entry(own)
    if (round_number in own.byes) == wanted:
        return entry
    if round_number not in (own.next_rounds if wanted else own.byes):
        raise Refused(_("For round {number} no bye can be requested any more.").format(number=round_number))
    byes = [bye for bye in entry.byes if bye["round"] != round_number]
    if wanted:
        byes.append({"round": round_number, "kind": PLAYERS_BYE})
    try:
        return change_entry(league.pk, slug, entry.number, {"byes": byes}, by=by)
    except ConfirmationNeeded:
        raise Refused(_("You have a half-point bye already. Ask the arbiter for another one.")) from None


@locked
def change_own_season_entry(
    league: League, now: datetime, slug: str, player: Player, *, enters: bool, by: str
) -> Season:
    """Enter a player who asks for it in a season, or withdraw them; what is so already changes nothing.

    Raises NotFound, and Conflict if the season takes no entries from players, or no longer.
    """
    season = find_season(league, slug)
    if not takes_player_entries(season, now):
        template = _("{season} takes no entries from players now. Ask an organiser.")
        raise Conflict(template.format(season=season.title))
    own = next((entry for entry in list_entries(season) if entry.survivor == player and plays(entry)), None)
    if enters and own is None:
        add_season_entries(league.pk, slug, [NewSeasonEntry(player.handle)], by=by)
    elif not enters and own is not None:
        change_season_entry(league.pk, slug, own.number, {"status": "withdrawn"}, by=by)
    return season


def _find_own(league: League, slug: str, player: Player) -> PlayerEntry:
    competition = find_competition(league, slug)
    if not competition.players_enter or competition.status not in (
        Competition.Status.OPEN,
        Competition.Status.RUNNING,
    ):
        template = _("{competition} takes no entries from players. Ask an organiser.")
        raise Conflict(template.format(competition=competition.title))
    return find_player_entry(competition, player)


def _require_entry(own: PlayerEntry) -> Entry:
    if own.entry is None or not own.is_entered:
        raise Refused(_("You are not entered in {competition}.").format(competition=own.competition.title))
    return own.entry
