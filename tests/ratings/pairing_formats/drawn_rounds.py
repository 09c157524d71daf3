"""Competitions that are played out with random results, round by round."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from ratings.contract.competition import (
    CompetitionData,
    EntryData,
    FixtureData,
    RoundData,
    build_forfeit,
    build_game,
    build_table,
)
from ratings.contract.pairing_format import CannotPair, PairingFormat, PairingProposal, PairingRequest


def build_entries(count: int) -> tuple[EntryData, ...]:
    """Return entries with falling ratings."""
    return tuple(EntryData(number, 2600 - 5 * number) for number in range(1, count + 1))


def draw_result(random: Random, fixture: FixtureData, forfeits: float = 0.0) -> FixtureData:
    """Return a planned fixture with a random result; a bye unchanged."""
    numbers = [seat.entry for seat in fixture.seats]
    if len(numbers) == 1:
        return fixture
    if len(numbers) > 2:
        places = random.sample(range(1, len(numbers) + 1), len(numbers))
        return build_table(dict(zip(numbers, places, strict=True)))
    if random.random() < forfeits:
        return build_forfeit(numbers[0], numbers[1], random.choice(numbers))
    return build_game(numbers[0], numbers[1], random.choice(["win", "draw", "loss"]))


def play(
    pairing_format: PairingFormat,
    entries: int,
    rounds: int,
    random: Random,
    *,
    irregular: bool = False,
) -> Iterator[tuple[PairingRequest, PairingProposal]]:
    """Yield each round's request and proposal, then draw its results; ``irregular``: with byes and forfeits.

    Ends early when a round cannot be paired.
    """
    competition = CompetitionData(build_entries(entries), (), planned_rounds=rounds)
    withdrawn: frozenset[int] = frozenset()
    for number in range(1, rounds + 1):
        byes = {}
        if irregular:
            if random.random() < 0.2:
                withdrawn |= {random.randint(1, entries)}
            byes = {
                entry: random.choice(["half_bye", "zero_bye"])
                for entry in range(1, entries + 1)
                if random.random() < 0.05 and entry not in withdrawn
            }
        request = PairingRequest(competition, number, withdrawn, byes, seed=entries)  # type: ignore[arg-type]  # two of the kinds
        try:
            proposal = pairing_format.pair(request)
        except CannotPair:
            return
        yield request, proposal
        fixtures = [draw_result(random, fixture, 0.04 * irregular) for fixture in proposal.fixtures]
        competition = replace(competition, rounds=(*competition.rounds, RoundData(number, tuple(fixtures))))


def list_games(proposal: PairingProposal) -> list[tuple[int, int]]:
    """Return (white, black) of each game, black 0 for a pairing-allocated bye, in order."""
    return sorted(
        (fixture.seats[0].entry, fixture.seats[1].entry if len(fixture.seats) > 1 else 0)
        for fixture in proposal.fixtures
        if fixture.kind in ("planned", "pairing_bye")
    )
