"""What a tournament report states of the ratings of a federation: its method of ranking, and lines of its own."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from league.apps.competitions.models import Competition
from league.apps.competitions.selectors.competition_data import LoadedCompetition
from league.apps.competitions.selectors.rating_order import (
    FIDE,
    choose_rating,
    get_lists,
    read_later_ratings,
    read_official_ratings,
)
from league.core.players.listed_people import list_rating_lists
from league.core.players.selectors.external_ids import load_external_ids
from ratings.trf.document import TrfPlayer

#: Whether FIDE's list is the first, the national one is, or there is one of them alone -> the method of line 172.
FIRST = {(FIDE,): "FIDE", ("",): "NRO", (FIDE, ""): "FIDON", ("", FIDE): "NIDOF"}


def build_national(loaded: LoadedCompetition, players: Sequence[TrfPlayer], number: int = 0) -> dict[str, Any]:
    """Return the fields of a report for the federation whose list gave ratings; none if no entry has any of a list.

    ``number``: the round whose ratings count; 0: those at the start.
    """
    competition = loaded.competition
    official = {number: read_official_ratings(entry) for number, entry in loaded.entries.items()}
    used = dict.fromkeys(one.list_key.partition(":")[0] for some in official.values() for one in some)
    providers = [one for one in used if one != FIDE]
    nation = competition.federation
    if providers:
        states = {one.provider: one.federation for one in list_rating_lists()}
        nation = states.get(providers[0]) or nation
    if not used or not nation or len(providers) > 1:
        return {}
    lines = _list_national(loaded, players, providers[0], number) if providers else []
    return {"nation": nation, "ranking": _find_method(loaded), "national": tuple(lines)}


def _list_national(
    loaded: LoadedCompetition, players: Sequence[TrfPlayer], provider: str, round_number: int
) -> list[TrfPlayer]:
    """Return the players who have a rating in the lists of a federation, with that and the number there."""
    ids = load_external_ids([entry.survivors[0].pk for entry in loaded.entries.values()])
    lines = []
    for player in players:
        entry = loaded.entries[player.number]
        ratings = [
            one
            for one in (*reversed(read_later_ratings(entry, round_number)), *read_official_ratings(entry))
            if one.list_key.startswith(f"{provider}:")
        ]
        if ratings:
            number = ids.get(entry.survivors[0].pk, {}).get(provider, "")
            lines.append(replace(player, rating=ratings[0].rating, fide_id=number[:11]))
    return lines


def _find_method(loaded: LoadedCompetition) -> str:
    """Return the method of line 172, OTHER if an entry has another rating than the order of the lists gives."""
    competition = loaded.competition
    for entry in loaded.entries.values():
        chosen = choose_rating(competition, read_official_ratings(entry))
        if entry.rating != (chosen and chosen.rating):
            return "OTHER"
    order = tuple(dict.fromkeys(one.partition(":")[0] for one in get_lists(competition)))
    kinds = tuple(FIDE if one == FIDE else "" for one in order)
    if competition.rating_choice == Competition.RatingChoice.HIGHEST and sorted(kinds) == ["", FIDE]:
        return "HBFN"
    return FIRST.get(kinds, "OTHER")
