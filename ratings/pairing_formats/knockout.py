"""Knock-out: the winner of each match goes on, in a bracket seeded 1 to n with byes for the top seeds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from ratings.contract.bracket_format import BracketFormat, PlannedMatch, SeatSource
from ratings.contract.declarations import Ruling
from ratings.contract.parameters import choice, number
from ratings.texts import N_, say

LEVEL = Ruling(
    "R155",
    N_("Level matches of a knock-out"),
    N_(
        "A match ends as soon as its games are played. If it is level, the organiser records another game, or, by the "
        "parameter, the higher seed goes on. A match that neither plays has no winner: the opponent in the next round "
        "has a bye."
    ),
    "level",
)
#: Of all formats with a bracket.
TO_COME = Ruling(
    "R171",
    N_("Matches to come"),
    N_(
        "Fixtures are numbered through the whole league as they are made, so a match whose round is not paired yet "
        "has none. It is listed beside the fixtures by its number in the bracket, which stays, and a seat names the "
        "fixture whose winner or loser takes it, or before that is paired, the match."
    ),
)


@dataclass(frozen=True)
class Knockout(BracketFormat):
    """Losers leave."""

    key: ClassVar[str] = "knockout"
    title: ClassVar[str] = N_("Knock-out")
    summary: ClassVar[str] = N_("The winner of each match goes on; the first seeds meet last.")
    rulings: ClassVar[tuple[Ruling, ...]] = (LEVEL, TO_COME)

    games: float = number(
        1, label=N_("Games of a match"), low=1, high=9, unit=N_("games"), whole=True, help=N_("Colours alternate.")
    )
    third_place: str = choice(
        "no",
        {"no": N_("the losers of the semi-finals share the third place"), "yes": N_("they play a match for it")},
        label=N_("Third place"),
    )
    level: str = choice(
        "game",
        {"game": N_("another game decides"), "seed": N_("the higher seed goes on")},
        label=N_("Level matches"),
        source="R155",
    )

    def count_rounds(self, entries: int) -> int:
        """Return the number of rounds."""
        return max(entries - 1, 1).bit_length()

    def plan(self, entries: int, rounds: int = 0) -> Sequence[PlannedMatch]:
        """Return the matches by round, from top to bottom; the match for the third place is last."""
        total = max(self.count_rounds(entries), rounds)
        plan = plan_winners(entries, total)
        if total > 1:
            seats = (SeatSource("loser_of", len(plan) - 3), SeatSource("loser_of", len(plan) - 2))
            plan.append(PlannedMatch("third", total, 1, seats, total - 1, planned=self.third_place == "yes"))
        return number_matches(plan)

    def describe_missing_round(self, number: int, total: int) -> str:
        """Return the sentence for a round that the bracket does not have."""
        return say("This knock-out has {total} rounds; there is no round {round}.", total=total, round=number)


def list_bracket_seeds(size: int) -> list[int]:
    """Return the seeds of a bracket from top to bottom: two neighbours meet first, 1 and 2 can only meet last."""
    seeds = [1]
    while len(seeds) < size:
        total = 2 * len(seeds) + 1
        seeds = [place for seed in seeds for place in ((seed, total - seed) if seed % 2 else (total - seed, seed))]
    return seeds


def plan_winners(entries: int, rounds: int) -> list[PlannedMatch]:
    """Return the matches of a bracket of so many rounds from which losers leave, by round, from top to bottom."""
    sources = [SeatSource("seed", seed) if seed <= entries else None for seed in list_bracket_seeds(2**rounds)]
    plan: list[PlannedMatch] = []
    for column in range(1, rounds + 1):
        first = len(plan)
        for top, bottom in zip(sources[::2], sources[1::2], strict=True):
            plan.append(PlannedMatch("winners", column, column, (top, bottom), column))
        sources = [find_winner(plan, at) for at in range(first, len(plan))]
    return plan


def find_winner(plan: Sequence[PlannedMatch], at: int) -> SeatSource | None:
    """Return the winner of a match as a source, None if nobody can come to it."""
    return None if plan[at].seats == (None, None) else SeatSource("winner_of", at)


def find_loser(plan: Sequence[PlannedMatch], at: int) -> SeatSource | None:
    """Return the loser of a match as a source, None if it cannot have one."""
    return None if None in plan[at].seats else SeatSource("loser_of", at)


def number_matches(plan: Sequence[PlannedMatch]) -> list[PlannedMatch]:
    """Return the matches in the order of their rounds, numbered from 1 but for those that are byes."""
    order = sorted(range(len(plan)), key=lambda at: plan[at].round)
    places = {at: place for place, at in enumerate(order)}
    numbered, number = [], 0
    for at in order:
        match = plan[at]
        is_match = None not in match.seats and match.planned
        number += is_match
        first, second = (
            source._replace(of=places[source.of]) if source and source.kind != "seed" else source
            for source in match.seats
        )
        decider = match.if_second_won
        numbered.append(
            replace(
                match,
                seats=(first, second),
                number=number if is_match else 0,
                if_second_won=None if decider is None else places[decider],
            )
        )
    return numbered
