"""Where a player or an entry stands in a competition without a bracket: rank and points, in words."""

from collections.abc import Sequence
from typing import Any

from league.apps.competitions.public.lines import build_entry_lines
from league.apps.competitions.public.link_words import describe_standing
from league.apps.competitions.public.standings_table import build_standings_table
from league.apps.competitions.selectors.competition_data import LoadedCompetition, load_competitions
from league.apps.competitions.selectors.competitions import BRACKET_FORMATS
from league.models import Player


def describe_standing_places(competitions: Sequence[Any], player: Player) -> dict[int, str]:
    """Return competition id -> the player's rank and points, of those without a bracket that have a result."""
    competitions = [one for one in competitions if one.format not in BRACKET_FORMATS]
    loaded = [one.hide_unpublished() for one in load_competitions(competitions)]
    places = {one.competition.pk: describe_standing_place(one, one.people.get(player.pk)) for one in loaded}
    return {competition: place for competition, place in places.items() if place}


def describe_standing_place(loaded: LoadedCompetition, number: int | None) -> str:
    """Return the rank and the points of an entry; "" before a result, and without the entry."""
    if number is None or all(one.status not in ("played", "forfeited") for one in loaded.fixtures):
        return ""
    table = build_standings_table(loaded, build_entry_lines(loaded), with_moves=False, with_possible=False)
    line = next((line for line in table.lines if line.entry.number == number), None)
    return describe_standing(line, len(table.lines)) if line else ""
