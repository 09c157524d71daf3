"""Swiss system: entries with equal points meet, nobody twice (FIDE's Dutch system, Handbook C.04.3, from 2026-02-01).

The pairing itself is computed by the package gacrux, FIDE's own checker. This file prepares its input, checks its
answer against the absolute rules, and gives the reasons.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar

from ratings.contract.competition import CompetitionData, FixtureData, build_bye, build_fixture
from ratings.contract.declarations import Ruling
from ratings.contract.pairing_format import (
    ENDED_EARLY,
    ODD,
    CannotPair,
    PairingFormat,
    PairingProposal,
    PairingReason,
    PairingRequest,
    complete_proposal,
)
from ratings.contract.parameters import choice
from ratings.contract.result_table import compute_fixture_points
from ratings.pairing_formats.quick_gacrux import load_engine
from ratings.texts import N_, say

FLOAT = N_("Their points differ: no opponent with the same points was left for one of them.")
NOBODY = N_(
    "Round {round} cannot be paired: everyone who may meet has met. Finish the competition, or let an entry have a bye."
)
EDITION = Ruling(
    "R157",
    N_("The edition of the Dutch system"),
    N_(
        "Rounds are paired by the Dutch system in force since 1 February 2026, whatever the edition of the tie-breaks. "
        "Forfeits are not meetings: the two may meet later. An entry that asks for a bye is not paired; one that had "
        "a bye with the points of a win, or won by forfeit, has no pairing-allocated bye."
    ),
)
FIRST_COLOUR = Ruling(
    "R158",
    N_("The colour of the first seed"),
    N_(
        "The colour of the first seed in the first round is drawn by the competition's seed, so that everyone can "
        "check the lot; the organiser may choose it."
    ),
    "first_colour",
)
BAKU = Ruling(
    "R176",
    N_("Baku acceleration"),
    N_(
        "By C.04.7, the first 2 × ⌈N/4⌉ of the N entries that are paired in round 1 are group A. In the first half of "
        "the rounds, rounded up, they have points more for the pairing: a win in the first half of these, rounded up, "
        "then a draw. Who enters later, or was absent in round 1, is in group A if its number is not after that of "
        "the last entry of A."
    ),
    "acceleration",
)
#: gacrux's codes of byes: F is a bye with full points, U the pairing-allocated one.
BYES = {"pairing_bye": "P", "full_bye": "W", "half_bye": "D", "zero_bye": "Z"}


@dataclass(frozen=True)
class Swiss(PairingFormat):
    """Nobody is eliminated; opponents have equal points."""

    key: ClassVar[str] = "swiss"
    title: ClassVar[str] = N_("Swiss system")
    summary: ClassVar[str] = N_("Everyone plays each round against someone with the same points, nobody twice.")
    rulings: ClassVar[tuple[Ruling, ...]] = (EDITION, FIRST_COLOUR, BAKU)

    first_colour: str = choice(
        "lot",
        {"lot": N_("drawn by lot"), "white": N_("White"), "black": N_("Black")},
        label=N_("Colour of the first seed in round 1"),
        source="R158",
    )
    acceleration: str = choice(
        "none",
        {
            "none": N_("none"),
            "baku": N_("Baku acceleration: the better half has points more in the first rounds"),
            "given": N_("the points of each entry that a file gives"),
        },
        label=N_("Acceleration"),
        help=N_("Points that count for the pairing alone, so that strong entries meet earlier among many."),
        source="R176",
    )

    def count_rounds(self, entries: int) -> None:
        """Return None: the organiser decides."""

    def pair(self, request: PairingRequest) -> PairingProposal:
        """Return the games of a round in the order of the boards."""
        engine_module = load_engine()
        present = request.list_present()
        _check_previous_rounds(request)
        if len(present) < 2:
            raise CannotPair(say("At least two entries must be present."))
        # The engine numbers the entries 1 to n; those of a competition may have gaps.
        numbers = [0, *(entry.number for entry in request.competition.entries)]
        virtual = self.list_virtual_points(request)
        tournament = _build_tournament(request, self.find_first_colour(request), numbers, virtual)
        engine = engine_module.pairing_dutch(tournament, request.number, {"experimental": [], "verbose": 0})
        engine.report, engine.is_late = request.report, request.is_late
        try:
            pairs = engine.update_board(engine.compute_pairing(checkonly=False))
        except engine_module.GacruxNoLegalPairing:
            raise CannotPair(
                say(NOBODY, round=request.number), [numbers[cid] for cid in engine.find_leftover()]
            ) from None
        games = [(numbers[int(pair["w"])], numbers[int(pair["b"])]) for pair in pairs]
        points = _sum_points(request.competition)
        for number, by_round in virtual.items():
            points[number] += get_virtual(by_round, request.number)
        fixtures = [build_fixture(white, black) for white, black in games if white and black]
        byes = [build_bye(white or black, "pairing_bye") for white, black in games if not (white and black)]
        _check_rules(request, fixtures, present)
        reasons = [PairingReason((), ENDED_EARLY)] if engine.ended_early else []
        reasons += [PairingReason((bye.seats[0].entry,), ODD) for bye in byes]
        for white, black in games:
            if white and black and points[white] != points[black]:
                reasons.append(PairingReason((white, black), FLOAT))
        return complete_proposal(request, [*fixtures, *byes], reasons)

    def list_virtual_points(self, request: PairingRequest) -> dict[int, tuple[Fraction, ...]]:
        """Return entry -> the points that it has for the pairing of each round, without entries that have none."""
        competition = request.competition
        if self.acceleration == "given":
            return {entry.number: entry.virtual for entry in competition.entries if any(entry.virtual)}
        if self.acceleration == "none":
            return {}
        return dict.fromkeys(list_group(request), list_baku_points(competition))

    def find_first_colour(self, request: PairingRequest) -> str:
        """Return the colour of the first entry in round 1, w or b, by lot if it was not chosen."""
        if self.first_colour == "lot":
            return request.random("first colour").choice("wb")
        return self.first_colour[0]


def _check_previous_rounds(request: PairingRequest) -> None:
    """Raise CannotPair if a game of an earlier round has no result."""
    for one_round in request.competition.rounds:
        for fixture in one_round.fixtures:
            if fixture.kind == "planned":
                first, second = fixture.seats[0].entry, fixture.seats[-1].entry
                raise CannotPair(
                    say(
                        "Round {round}: the game of entries {first} and {second} has no result.",
                        round=one_round.number,
                        first=first,
                        second=second,
                    )
                )


def _build_tournament(
    request: PairingRequest, first_colour: str, numbers: Sequence[int], virtual: Mapping[int, tuple[Fraction, ...]]
) -> dict[str, Any]:
    """Return the tournament in gacrux's form.

    ``numbers``: of the entries by gacrux's, which are from 1 to n. ``virtual``: see ``Swiss.list_virtual_points``.
    """
    competition = request.competition
    cids = {number: cid for cid, number in enumerate(numbers)}
    present, points, table = set(request.list_present()), _sum_points(competition), competition.points
    # While the number of rounds is open, no round is the last one, for which some rules differ.
    total = max(competition.planned_rounds or request.number + 1, request.number)
    return {
        "tournamentNo": 1,
        "tournamentType": "Swiss",
        "teamTournament": False,
        "teamSize": 0,
        "numRounds": total,
        "currentRound": request.number - 1,
        "maxMeets": 1,
        "topColor": first_colour,
        "ratingList": "",
        "rankOrder": ["PTS"],
        "scoreSystem": {
            "game": {
                **{code: _write(value) for code, value in (("W", table.win), ("D", table.draw), ("L", table.loss))},
                "P": _write(table.pairing_bye),
                "F": _write(table.full_bye),
                "H": _write(table.half_bye),
                "Z": _write(table.zero_bye),
                "A": _write(table.half_bye),
                "U": _write(table.pairing_bye),
            },
            "match": {},
        },
        "competitors": [
            {
                "cid": cid,
                "profileId": cid,
                "present": entry.number in present,
                "gamePoints": _write(points[entry.number]),
                "rank": cid,
                "rating": {"list": "", "rating": entry.rating or 0},
                "adjust": [
                    {"cid": cid, "round": number, "points": _write(points), "pairing": True}
                    for number, points in entry.added
                ],
            }
            for cid, entry in enumerate(competition.entries, start=1)
        ],
        "gameList": list(_list_games(competition, cids)),
        "matchList": [],
        "prohibited": [
            {"firstRound": 1, "lastRound": total, "competitors": pair} for pair in _list_prohibited(request, cids)
        ],
        "pairingSystem": ["dutch"],
        "format": "swiss",
        "accelerated": {"name": "", "values": list(_list_accelerations(virtual, cids))},
    }


def _list_prohibited(request: PairingRequest, cids: Mapping[int, int]) -> list[list[int]]:
    """Return the pairs that must not meet, by gacrux's numbers, without entries that were not there yet."""
    known = [pair for pair in request.not_against if pair <= cids.keys()]
    return [sorted(map(cids.__getitem__, pair)) for pair in sorted(known, key=sorted)]


def list_group(request: PairingRequest) -> list[int]:
    """Return the entries of group A: down to the last one of those who are paired in round 1, now or then."""
    order = [entry.number for entry in request.competition.entries]
    rounds = [one_round for one_round in request.competition.rounds if one_round.number == 1]
    paired = request.list_present()
    if rounds:
        fixtures = [
            fixture for fixture in rounds[0].fixtures if len(fixture.seats) > 1 or fixture.kind == "pairing_bye"
        ]
        seated = {seat.entry for fixture in fixtures for seat in fixture.seats}
        paired = [number for number in order if number in seated]
    size = 2 * ceil(Fraction(len(paired), 4))
    return order[: order.index(paired[min(size, len(paired)) - 1]) + 1] if paired else []


def list_baku_points(competition: CompetitionData) -> tuple[Fraction, ...]:
    """Return the points that group A has for the pairing of each accelerated round."""
    accelerated = (competition.planned_rounds + 1) // 2
    full = (accelerated + 1) // 2
    return (competition.points.win,) * full + (competition.points.draw,) * (accelerated - full)


def get_virtual(by_round: Sequence[Fraction], number: int) -> Fraction:
    """Return the points for the pairing of a round."""
    return by_round[number - 1] if number <= len(by_round) else Fraction(0)


def _list_accelerations(virtual: Mapping[int, Sequence[Fraction]], cids: Mapping[int, int]) -> Iterator[dict[str, Any]]:
    """Yield the virtual points in gacrux's form."""
    for entry, by_round in virtual.items():
        for number, points in enumerate(by_round, start=1):
            if points:
                yield {
                    "matchPoints": _write(points),
                    "gamePoints": _write(points),
                    "firstRound": number,
                    "lastRound": number,
                    "firstCompetitor": cids[entry],
                    "lastCompetitor": cids[entry],
                }


def _list_games(competition: CompetitionData, cids: Mapping[int, int]) -> Iterator[dict[str, Any]]:
    """Yield the games and byes in gacrux's form."""
    number = 0
    for one_round in competition.rounds:
        for fixture in one_round.fixtures:
            number += 1
            codes, points = _list_codes(fixture), compute_fixture_points(competition, fixture)
            # The engine counts the score if there is one; an arbiter may have given other points than the result has.
            sides: list[Mapping[str, Any]] = [
                {"cid": cids[seat.entry], "result": code, "score": _write(gained)}
                for seat, code, gained in zip(fixture.seats, codes, points, strict=True)
            ]
            yield {
                "id": number,
                "round": one_round.number,
                "white": sides[0],
                "black": sides[1] if len(sides) > 1 else {"cid": 0, "result": "Z"} if codes == ["P"] else None,
                "played": fixture.kind in ("played", "pairing_bye"),
                "rated": fixture.kind == "played",
            }


def _list_codes(fixture: FixtureData) -> list[str]:
    """Return gacrux's code of each seat's result."""
    if len(fixture.seats) == 1:
        return [BYES[fixture.kind]]
    first, second = (seat.place for seat in fixture.seats)
    if fixture.kind == "forfeit":
        return ["W" if seat.place == 1 else "Z" for seat in fixture.seats]
    return ["D", "D"] if first == second else ["W", "L"] if first < second else ["L", "W"]


def _sum_points(competition: CompetitionData) -> dict[int, Fraction]:
    last = max((one_round.number for one_round in competition.rounds), default=0)
    points = {entry.number: entry.sum_added(last) for entry in competition.entries}
    for one_round in competition.rounds:
        for fixture in one_round.fixtures:
            for seat, gained in zip(fixture.seats, compute_fixture_points(competition, fixture), strict=True):
                points[seat.entry] += gained
    return points


def _write(value: Fraction) -> Decimal:
    """Return a number of points as a decimal."""
    return Decimal(value.numerator) / Decimal(value.denominator)


def _check_rules(request: PairingRequest, fixtures: list[FixtureData], present: list[int]) -> None:
    """Assert the absolute rules, so that no fault of the engine is ever published."""
    met = {
        frozenset(seat.entry for seat in fixture.seats)
        for one_round in request.competition.rounds
        for fixture in one_round.fixtures
        if fixture.kind == "played"
    }
    for fixture in fixtures:
        pair = frozenset(seat.entry for seat in fixture.seats)
        assert pair not in met, f"the engine paired {sorted(pair)} again"
        assert pair not in request.not_against, f"the engine paired {sorted(pair)}, who must not meet"
        assert pair <= set(present), f"the engine paired {sorted(pair)}, who are not present"
