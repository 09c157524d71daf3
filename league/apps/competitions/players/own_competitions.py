"""The competitions in which a player takes part, with the player's place, for the page of a private link."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from league.apps.competitions.public.additions import list_running_of_player
from league.apps.competitions.public.bracket_places import describe_bracket_places
from league.apps.competitions.public.lines import build_entry_lines
from league.apps.competitions.public.link_words import describe_standing
from league.apps.competitions.public.standings_table import build_standings_table
from league.apps.competitions.selectors.competition_data import LoadedCompetition, load_competitions
from league.apps.competitions.selectors.competitions import BRACKET_FORMATS, stands_for_season
from league.apps.competitions.selectors.player_entries import PlayerEntry
from league.models import League, Player


@dataclass(frozen=True)
class OwnCompetition:
    """A competition in which a player takes part.

    ``place``: the player's rank and points, "" before the first result; in a bracket the next match. ``entry``: what
    the player can do, if players enter the competition themselves.
    """

    competition: Any
    place: str
    entry: PlayerEntry | None


def list_own_competitions(
    league: League, player: Player, entries: Iterable[PlayerEntry], seasons: Collection[str]
) -> list[OwnCompetition]:
    """Return running competitions, and those that the player has entered (``entries``), each once.

    Divisions of ``seasons`` (slugs), which are shown by themselves, are left out.
    """
    running = [
        one
        for one in list_running_of_player(league, player)
        if not (stands_for_season(one) and one.season_slug in seasons)
    ]
    places = _describe_places([one for one in running if one.format not in BRACKET_FORMATS], player)
    places |= describe_bracket_places(running, player)
    own = {entry.competition.pk: entry for entry in entries if entry.is_entered}
    found = [OwnCompetition(one, places.get(one.pk, ""), own.pop(one.pk, None)) for one in running]
    return found + [OwnCompetition(entry.competition, "", entry) for entry in own.values()]


def _describe_places(competitions: Sequence[Any], player: Player) -> dict[int, str]:
    """Return competition id -> the player's rank and points, of those that have a result."""
    loaded = [one.hide_unpublished() for one in load_competitions(competitions)]
    places = {one.competition.pk: _describe_place(one, player) for one in loaded}
    return {competition: place for competition, place in places.items() if place}


def _describe_place(loaded: LoadedCompetition, player: Player) -> str:
    number = loaded.people.get(player.pk)
    if number is None or all(one.status not in ("played", "forfeited") for one in loaded.fixtures):
        return ""
    table = build_standings_table(loaded, build_entry_lines(loaded), with_moves=False, with_possible=False)
    line = next((line for line in table.lines if line.entry.number == number), None)
    return describe_standing(line, len(table.lines)) if line else ""
