"""Tournaments with published results.

Source of the first three: Mario Held, Exercises in Tie-Breaking, FIDE Technical Commission, revision 2403220900, for
the regulations in force before March 2026: the Swiss of 16 players and 5 rounds, the same after 9 rounds (exercise 25),
and the round robin. The examples of unplayed games are those of the FIDE Arbiters' Manual 2026, after C.07.
"""

from collections.abc import Sequence

from ratings.contract.competition import (
    ByeKind,
    CompetitionData,
    EntryData,
    FixtureData,
    Outcome,
    RoundData,
    build_bye,
    build_forfeit,
    build_game,
)

OUTCOMES: dict[str, Outcome] = {"1": "win", "=": "draw", "0": "loss"}
BYES: dict[str, ByeKind] = {"U": "pairing_bye", "F": "full_bye", "H": "half_bye", "Z": "zero_bye"}
SWISS_RATINGS = [2200, 2150, 2100, 2050, 2000, 1950, 1900, 1850, 1800, 1750, 1700, 1650, 1600, 1550, 1500, 1450]
#: A line for each player: colour, opponent and result, or the code of a bye.
SWISS = """
w9:1 b13:= w2:= b15:1 w4:=
b10:1 w7:1 b1:= w16:1 b3:=
w11:= b6:1 w8:1 b4:= w2:=
b12:1 H w13:1 w3:= b1:=
w13:0 b15:0 w11:1 b7:= w10:1
b14:0 w3:0 U w10:1 b8:1
w15:1 b2:0 b16:0 w5:= b11:0
b16:= w14:1 b3:0 w13:1 w6:0
b1:0 w10:0 H b11:- U
w2:0 b9:1 w15:0 b6:0 b5:0
b3:= w16:0 b5:0 w9:+ w7:1
w4:0 U w14:+ Z Z
b5:1 w1:= b4:0 b8:0 w14:0
w6:1 b8:0 b12:- Z b13:1
b7:0 w5:1 b10:1 w1:0 b16:0
w8:= b11:1 w7:1 b2:0 w15:1
"""
LONG_SWISS = """
w9:1 b13:= w2:= b15:1 w4:= b6:= b3:= w16:= b8:1
b10:1 w7:1 b1:= w16:1 b3:1 w4:= w6:0 b15:= w5:=
w11:= b6:1 w8:1 b4:= w2:0 b16:1 w1:= w14:1 b10:1
b12:1 H w13:1 w3:= b1:= b2:= w16:= b6:= w15:1
w13:0 b15:0 w11:1 b7:= w10:1 b14:0 b9:1 w8:0 b2:=
b14:0 w3:0 U w10:1 b8:1 w1:= b2:1 w4:= b16:1
w15:1 b2:0 b16:0 w5:= b11:0 b10:0 w13:1 w9:1 b14:1
b16:= w14:1 b3:0 w13:1 w6:0 b11:= w15:= b5:1 w1:0
b1:0 w10:0 H b11:- U b13:1 w5:0 b7:0 w12:=
w2:0 b9:1 w15:0 b6:0 b5:0 w7:1 b12:1 w11:1 w3:0
b3:= w16:0 b5:0 w9:+ w7:1 w8:= b14:0 b10:0 w13:=
w4:0 U w14:+ Z Z b15:0 w10:0 b13:= b9:=
b5:1 w1:= b4:0 b8:0 w14:0 w9:0 b7:0 w12:= b11:=
w6:1 b8:0 b12:- Z b13:1 w5:1 w11:1 b3:0 w7:0
b7:0 w5:1 b10:1 w1:0 b16:0 w12:1 b8:= w2:= b4:0
w8:= b11:1 w7:1 b2:0 w15:1 w3:0 b4:= b1:= w6:0
"""
ROUND_ROBIN_RATINGS = [2200, 2150, 2100, 2050, 1950, 2000]
ROUND_ROBIN = """
w5:= w2:1 b3:1 w4:0 b6:1
w6:1 b1:0 w5:1 w3:= b4:1
w4:1 b6:1 w1:0 b2:= w5:1
b3:0 b5:0 w6:= b1:1 w2:0
b1:= w4:1 b2:0 w6:- b3:0
b2:0 w3:0 b4:= b5:+ w1:0
"""


def read_cross_table(lines: str, ratings: Sequence[int | None], *, predetermined: bool = False) -> CompetitionData:
    """Return the competition of a cross table."""
    rounds: dict[int, list[FixtureData]] = {}
    for number, line in enumerate(lines.split("\n")[1:-1], 1):
        for at, cell in enumerate(line.split(), 1):
            fixtures = rounds.setdefault(at, [])
            if cell in BYES:
                fixtures.append(build_bye(number, BYES[cell]))
            elif cell[0] == "w":
                opponent, _, result = cell[1:].partition(":")
                if result in OUTCOMES:
                    fixtures.append(build_game(number, int(opponent), OUTCOMES[result]))
                else:
                    fixtures.append(build_forfeit(number, int(opponent), number if result == "-" else int(opponent)))
    entries = tuple(EntryData(number, rating) for number, rating in enumerate(ratings, 1))
    return CompetitionData(
        entries, tuple(RoundData(at, tuple(fixtures)) for at, fixtures in rounds.items()), predetermined=predetermined
    )


def swiss() -> CompetitionData:
    """Return the Swiss of 5 rounds."""
    return read_cross_table(SWISS, SWISS_RATINGS)


def long_swiss() -> CompetitionData:
    """Return the Swiss of 9 rounds."""
    return read_cross_table(LONG_SWISS, SWISS_RATINGS)


def round_robin() -> CompetitionData:
    """Return the round robin of 6."""
    return read_cross_table(ROUND_ROBIN, ROUND_ROBIN_RATINGS, predetermined=True)


def build_player_record(results: str, totals: Sequence[float], rounds: int) -> CompetitionData:
    """Return a competition in which player 1 had these results against opponents with these final points.

    ``results``: one of 1 = 0 + - H Z for each round; only those with an opponent use a total. The other games of an
    opponent are against players who meet nobody else.
    """
    fixtures: dict[int, list[FixtureData]] = {number: [] for number in range(1, rounds + 1)}
    remaining, number = iter(totals), 1
    for at, result in enumerate(results, 1):
        if result in BYES:
            fixtures[at].append(build_bye(1, BYES[result]))
            continue
        opponent, partner = number + 1, number + 2
        number += 2
        if result in OUTCOMES:
            fixtures[at].append(build_game(1, opponent, OUTCOMES[result]))
        else:
            fixtures[at].append(build_forfeit(1, opponent, 1 if result == "-" else opponent))
        halves = round(2 * next(remaining)) - {"1": 0, "=": 1, "0": 2, "+": 0, "-": 2}[result]
        for other, games in fixtures.items():
            if other != at:
                gained = min(halves, 2)
                halves -= gained
                games.append(build_game(opponent, partner, ("loss", "draw", "win")[gained]))
    entries = tuple(EntryData(entry) for entry in range(1, number + 1))
    return CompetitionData(entries, tuple(RoundData(at, tuple(games)) for at, games in fixtures.items()))
