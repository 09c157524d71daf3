"""The competitions in which a player takes part, with the player's place, for the page of a private link."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from league.apps.competitions.public.additions import list_running_of_player
from league.apps.competitions.public.bracket_places import describe_bracket_places
from league.apps.competitions.public.standing_places import describe_standing_places
from league.apps.competitions.selectors.competitions import stands_for_season
from league.apps.competitions.selectors.player_entries import PlayerEntry, query_entries
from league.models import League, Player


@dataclass(frozen=True)
class OwnCompetition:
    """A competition in which a player takes part.

    ``number``: of the player's entry, 0 before the start. ``rank``: the player's rank and points, "" before the first
    result; ``next_match``: in a bracket instead. ``entry``: what the player can do, if players enter the competition
    themselves.
    """

    competition: Any
    number: int
    rank: str
    next_match: str
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
    numbers = dict(query_entries(league, player).filter(competition__in=running).values_list("competition", "number"))
    ranks, matches = describe_standing_places(running, player), describe_bracket_places(running, player)
    own = {entry.competition.pk: entry for entry in entries if entry.is_entered}
    found = [
        OwnCompetition(
            one,
            numbers.get(one.pk, 0),
            ranks.get(one.pk, ""),
            matches.get(one.pk, ""),
            own.pop(one.pk, None),
        )
        for one in running
    ]
    return found + [OwnCompetition(entry.competition, 0, "", "", entry) for entry in own.values()]
