"""What the buttons of the panel on a player's private link do. Each returns a message for the player."""

from collections.abc import Mapping

from django.utils.translation import gettext as _

from league.apps.competitions.models import Competition, Season
from league.apps.competitions.selectors.competitions import find_competition
from league.apps.competitions.services.player_entries import (
    change_own_season_entry,
    change_player_bye,
    enter_player,
    withdraw_player,
)
from league.core.errors import Invalid, Problem
from league.web.organiser.forms import parse_whole_number
from league.web.sign_in.link_visits import LinkVisit

Values = Mapping[str, str]


def enter(visit: LinkVisit, values: Values) -> str:
    """Enter the player."""
    own = enter_player(visit.league.pk, values.get("competition", ""), visit.player, by=visit.by)
    if own.waiting is None:
        return _("You are entered in {competition}.").format(competition=own.competition.title)
    template = _("{competition} is full: you are number {number} on the waiting list.")
    return template.format(competition=own.competition.title, number=own.waiting)


def leave(visit: LinkVisit, values: Values) -> str:
    """Withdraw the player."""
    competition = _find(visit, values)
    withdraw_player(visit.league.pk, competition.slug, visit.player, by=visit.by)
    return _("You have withdrawn from {competition}.").format(competition=competition.title)


def change_bye(visit: LinkVisit, values: Values) -> str:
    """Request a bye, or cancel it."""
    competition, number = _find(visit, values), parse_whole_number(values.get("round", ""), 3)
    if number is None:
        raise Invalid.of([Problem("/round", "missing", _("Choose a round."))])
    wanted = values.get("wanted", "") != "no"
    change_player_bye(visit.league.pk, competition.slug, visit.player, number, wanted=wanted, by=visit.by)
    if wanted:
        return _("You have a bye in round {number}.").format(number=number)
    return _("The bye in round {number} is cancelled: you will play.").format(number=number)


def enter_season(visit: LinkVisit, values: Values) -> str:
    """Enter the player in a season."""
    season = _change_season_entry(visit, values, enters=True)
    return _("You are entered in {competition}.").format(competition=season.title)


def leave_season(visit: LinkVisit, values: Values) -> str:
    """Withdraw the player from a season before it is drawn."""
    season = _change_season_entry(visit, values, enters=False)
    return _("You have withdrawn from {competition}.").format(competition=season.title)


def _change_season_entry(visit: LinkVisit, values: Values, *, enters: bool) -> Season:
    return change_own_season_entry(visit.league.pk, values.get("season", ""), visit.player, enters=enters, by=visit.by)


def _find(visit: LinkVisit, values: Values) -> Competition:
    return find_competition(visit.league, values.get("competition", ""))
