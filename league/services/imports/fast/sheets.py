"""Many score sheets looked at together: whether a system surely accepts them all.

Only a yes means something: what is not accepted here is asked one by one (``RatingSystem.check``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ratings.columns.records import Floats, Wholes
from ratings.contract.declarations import MOST_PLAYERS
from ratings.contract.system import ABSURD_SCORE, RatingSystem


@dataclass(frozen=True)
class Sheets:
    """G sheets with N lines in seat order.

    sizes: G, the lines of each. scores: N, NaN where absent. places, sides: N, 0 where absent. fields: G.
    """

    sizes: Wholes
    scores: Floats
    places: Wholes
    fields: Sequence[Mapping[str, float]]
    sides: Wholes


def accepts(system: RatingSystem, sheets: Sheets) -> bool:
    """Tell whether ``system.check`` surely refuses none of the sheets; False says nothing."""
    if not len(sheets.sizes):
        return True
    scored, placed = ~np.isnan(sheets.scores), sheets.places != 0
    return (
        system.fewest_players <= sheets.sizes.min()
        and sheets.sizes.max() <= system.most_players
        and fields_are_good(system, sheets.fields)
        and (system.score != "required" or bool(scored.all()))
        and (system.place != "required" or bool(placed.all()))
        and (system.score != "either" or bool(scored.all() or placed.all()))
        and scores_are_good(system, sheets.scores[scored])
        and places_are_good(sheets, placed.any())
        and sides_are_good(system, sheets)
        and (system.ties or (bool(placed.all()) and no_place_twice(sheets)))
        and system.needs_no_more(scores=bool(scored.any()), places=bool(placed.any()))
    )


def fields_are_good(system: RatingSystem, fields: Sequence[Mapping[str, float]]) -> bool:
    """Tell whether every sheet has the system's game fields, within their bounds, and no others."""
    if not system.game_fields:
        return not any(fields)
    return all(
        len(given) == len(system.game_fields)
        and all(spec.key in given and spec.problem(given[spec.key]) is None for spec in system.game_fields)
        for given in fields
    )


def scores_are_good(system: RatingSystem, scores: Floats) -> bool:
    """Tell whether the scores that are there are within bounds."""
    lowest = max(system.lowest_score, -ABSURD_SCORE)
    return not len(scores) or bool(lowest <= scores.min() and scores.max() <= ABSURD_SCORE)


def places_are_good(sheets: Sheets, any_placed: bool) -> bool:
    """Tell whether the places that are there are from 1 to the number of players."""
    if not any_placed:
        return True
    return bool(sheets.places.min() >= 0 and (sheets.places <= np.repeat(sheets.sizes, sheets.sizes)).all())


def sides_are_good(system: RatingSystem, sheets: Sheets) -> bool:
    """Tell whether sheets have no sides, or the system knows them and partners share what is told of them.

    A sheet has a side at every seat then, or at none, and two sides or more.
    """
    if not sheets.sides.any():
        return True
    if not type(system).sides or sheets.sides.min() < 0 or sheets.sides.max() > MOST_PLAYERS:
        return False
    games = np.repeat(np.arange(len(sheets.sizes)), sheets.sizes)
    told = np.bincount(games, sheets.sides != 0, len(sheets.sizes))
    keys = games * (MOST_PLAYERS + 1) + sheets.sides
    order = np.argsort(keys, kind="stable")
    keys, scores, places = keys[order], sheets.scores[order], sheets.places[order]
    partners = keys[1:] == keys[:-1]
    apart = (scores[1:] != scores[:-1]) & ~(np.isnan(scores[1:]) & np.isnan(scores[:-1])) | (places[1:] != places[:-1])
    heads = np.concatenate(([True], ~partners))
    several = np.bincount(keys[heads] // (MOST_PLAYERS + 1), minlength=len(sheets.sizes))
    sided = told > 0
    return bool((told[sided] == sheets.sizes[sided]).all() and (several[sided] > 1).all()) and not bool(
        (apart & partners & (keys[1:] % (MOST_PLAYERS + 1) != 0)).any()
    )


def no_place_twice(sheets: Sheets) -> bool:
    """Tell whether no two seats of a sheet have one place."""
    game = np.repeat(np.arange(len(sheets.sizes)), sheets.sizes)
    keys = np.sort(game * (int(sheets.places.max()) + 1) + sheets.places)
    return not bool((keys[1:] == keys[:-1]).any())
