"""Checks of a sheet's sides, weight and total score."""

import math
from typing import Any

from ratings.contract.declarations import MAX_PLAYERS, MAX_WEIGHT, GameSheet, Refusal
from ratings.contract.parameters import is_number, shown
from ratings.texts import N_, localised, say

#: Tolerance for sums of scores: 0.1 + 0.2 counts as 0.3.
SAME_TOTAL = 1e-6


def check_sides(system: Any, sheet: GameSheet) -> list[Refusal]:
    """Refuse sides that the system does not support, that are missing at some seats, or that put everyone together.

    ``system``: a rating system or its class (its ``title`` and ``sides`` are read).
    """
    if not sheet.sides:
        return []
    if not system.sides:
        template = N_("{title} does not support teams; leave them out, or choose a system that does.")
        return [Refusal("sides", say(template, title=system.title), "side")]
    refusals = [refusal for seat, side in enumerate(sheet.sides) if (refusal := side_problem(seat, side))]
    return refusals or all_on_one(sheet)


def side_problem(seat: int, side: object) -> Refusal | None:
    """Refuse an invalid side number."""
    if side is None:
        sentence = say("Seat {seat} has no team; give one to every seat or to none.", seat=seat + 1)
        return Refusal("missing", sentence, "side", seat)
    if type(side) is not int or not 1 <= side <= MAX_PLAYERS:
        template = N_("Seat {seat}: the team must be a whole number from 1 to {most}.")
        return Refusal("out_of_bounds", say(template, seat=seat + 1, most=MAX_PLAYERS), "side", seat)
    return None


def all_on_one(sheet: GameSheet) -> list[Refusal]:
    """Refuse a game in which no player plays against anyone."""
    if len(set(sheet.sides)) != 1:
        return []
    return [Refusal("sides", say("All players are in one team; a game needs at least two."), "side")]


def partners_apart(sheet: GameSheet) -> list[Refusal]:
    """Refuse a side whose players have different scores or places."""
    if not sheet.sides:
        return []
    for key, values in (("score", sheet.scores), ("place", sheet.places)):
        for seat, first in enumerate(sheet.captains):
            if values[seat] != values[first]:
                template = (
                    N_("Seats {one} and {other} are in one team and must have the same score.")
                    if key == "score"
                    else N_("Seats {one} and {other} are in one team and must have the same place.")
                )
                return [Refusal("contradiction", say(template, one=first + 1, other=seat + 1), key, seat)]
    return []


def check_weight(system: Any, sheet: GameSheet) -> list[Refusal]:
    """Refuse an invalid weight, and any weight but 1 if the system does not support weights.

    ``system``: a rating system or its class (its ``title`` and ``weights`` are read).
    """
    weight = sheet.weight
    if not is_number(weight) or not 0 <= weight <= MAX_WEIGHT:
        sentence = say("The weight must be a number from 0 to {most}.", most=shown(MAX_WEIGHT))
        return [Refusal("out_of_bounds", sentence, "weight")]
    if weight != 1.0 and not system.weights:
        sentence = say("{title} does not support weights; leave the weight out.", title=system.title)
        return [Refusal("weights", sentence, "weight")]
    return []


def check_total(sheet: GameSheet, demand: str, total: float) -> list[Refusal]:
    """Refuse scores that do not add up to ``total``; ``demand`` is "yes" if the league requires that, or "no"."""
    found = math.fsum(score for score in sheet.scores if score is not None)
    if demand == "no" or abs(found - total) < SAME_TOTAL:
        return []
    # Fifteen digits, so that different sums never look equal.
    wanted, made = localised(f"{total:.15g}"), localised(f"{found:.15g}")
    return [Refusal("total", say("The scores must sum to {total}, but sum to {found}.", total=wanted, found=made))]
