"""Random tournaments with byes, forfeits and withdrawals, and their TRF files."""

from random import Random

from ratings.contract.competition import (
    CompetitionData,
    EntryData,
    FixtureData,
    Outcome,
    PointsTable,
    RoundData,
    build_bye,
    build_fixture,
    build_forfeit,
    build_game,
)

OUTCOMES: tuple[Outcome, ...] = ("win", "draw", "loss")
#: Kind of a bye -> its code in a TRF file.
BYES = {"pairing_bye": "U", "full_bye": "F", "half_bye": "H", "zero_bye": "Z"}


def draw_swiss(random: Random, sizes: tuple[int, int] = (4, 20), most_rounds: int = 9) -> CompetitionData:
    """Draw a tournament in which the pairings are random, but nobody meets twice over the board."""
    size = random.randint(*sizes)
    entries = tuple(EntryData(number, random.randint(1200, 2700)) for number in range(1, size + 1))
    met: set[frozenset[int]] = set()
    leaving = {number: random.randint(1, most_rounds) for number in range(1, size + 1) if random.random() < 0.1}
    rounds = []
    for number in range(1, random.randint(2, most_rounds) + 1):
        fixtures, available = [], []
        for entry in range(1, size + 1):
            chance = random.random()
            if number > leaving.get(entry, most_rounds):
                continue
            if chance < 0.12:
                kind = random.choice(["full_bye", "half_bye", "half_bye", "zero_bye", ""])
                if kind:
                    fixtures.append(build_bye(entry, kind))  # type: ignore[arg-type]  # one of the four kinds
            else:
                available.append(entry)
        random.shuffle(available)
        fixtures += draw_games(random, available, met)
        rounds.append(RoundData(number, tuple(fixtures)))
    return CompetitionData(entries, tuple(rounds))


def draw_irregular_swiss(random: Random) -> CompetitionData:
    """Draw a small odd tournament with many unplayed rounds, most of them in the last round.

    One entry never comes, one loses every game by forfeit, and one leaves at half-time.
    """
    size, last = random.choice([5, 7, 9, 11, 13]), random.randint(3, 8)
    entries = tuple(EntryData(number, random.randint(1200, 2700)) for number in range(1, size + 1))
    absent, forfeiting, leaving = random.sample(range(1, size + 1), 3)
    met: set[frozenset[int]] = set()
    rounds = []
    for number in range(1, last + 1):
        fixtures, available = [], []
        for entry in range(1, size + 1):
            if entry == absent:
                continue
            gone = entry == leaving and number > last // 2
            if gone or (entry != forfeiting and random.random() < (0.35 if number == last else 0.15)):
                kind = random.choice(["half_bye", "zero_bye", ""] if gone else ["full_bye", "half_bye", "zero_bye", ""])
                if kind:
                    fixtures.append(build_bye(entry, kind))  # type: ignore[arg-type]  # one of the four kinds
            else:
                available.append(entry)
        random.shuffle(available)
        fixtures += draw_games(random, available, met, forfeits=0.3, forfeiting=forfeiting)
        rounds.append(RoundData(number, tuple(fixtures)))
    return CompetitionData(entries, tuple(rounds))


def list_situations(competition: CompetitionData) -> set[str]:
    """Return which irregular situations occur in a tournament."""
    found = {"odd number"} if len(competition.entries) % 2 else set()
    played, paired = set[int](), set[int]()
    for one_round in competition.rounds:
        at_the_end = " in the last round" if one_round is competition.rounds[-1] else ""
        paired = {seat.entry for fixture in one_round.fixtures for seat in fixture.seats}
        for fixture in one_round.fixtures:
            if fixture.kind == "played":
                played |= {seat.entry for seat in fixture.seats}
            elif fixture.kind == "forfeit" and all(seat.place == 2 for seat in fixture.seats):
                found.add("double forfeit" + at_the_end)
            else:
                found.add(fixture.kind + at_the_end)
    found |= {"absent in the last round"} if len(paired) < len(competition.entries) else set()
    return found | ({"never played"} if len(played) < len(competition.entries) else set())


def draw_games(
    random: Random,
    available: list[int],
    met: set[frozenset[int]],
    *,
    forfeits: float = 0.15,
    forfeiting: int = 0,
) -> list[FixtureData]:
    """Pair the available entries; one that is left over has a pairing-allocated bye.

    ``forfeits``: the share of forfeits. ``forfeiting``: an entry that loses all its games in this way.
    """
    fixtures: list[FixtureData] = []
    while available:
        white = available.pop()
        black = next((entry for entry in available if frozenset((white, entry)) not in met), None)
        if black is None:
            fixtures.append(build_bye(white, "pairing_bye"))
            continue
        available.remove(black)
        if forfeiting in (white, black):
            fixtures.append(build_forfeit(white, black, *random.choice([(forfeiting,), (white, black)])))
        elif random.random() < forfeits:
            losers = random.choice([(white,), (black,), (white, black)])
            fixtures.append(build_forfeit(white, black, *losers))
        else:
            met.add(frozenset((white, black)))
            fixtures.append(build_game(white, black, random.choice(OUTCOMES)))
    return fixtures


def draw_round_robin(random: Random, forfeits: float = 0.1) -> CompetitionData:
    """Draw a single or double round robin by the circle method, with forfeits."""
    size = random.randint(3, 10)
    entries = tuple(EntryData(number, random.randint(1200, 2700)) for number in range(1, size + 1))
    circle = [*range(1, size + 1), *([0] if size % 2 else [])]
    rounds = []
    for turn in range((len(circle) - 1) * random.choice([1, 1, 2])):
        fixtures = []
        for one, other in zip(circle[: len(circle) // 2], reversed(circle[len(circle) // 2 :]), strict=True):
            if 0 in (one, other):
                continue
            white, black = (one, other) if turn % 2 else (other, one)
            if random.random() < forfeits:
                fixtures.append(build_forfeit(white, black, random.choice([white, black])))
            else:
                fixtures.append(build_game(white, black, random.choice(OUTCOMES)))
        rounds.append(RoundData(turn + 1, tuple(fixtures)))
        circle[1:] = [circle[-1], *circle[1:-1]]
    return CompetitionData(entries, tuple(rounds), predetermined=True)


def clear_last_rounds(competition: CompetitionData, *, last_rounds: int) -> CompetitionData:
    """Return the competition with the games of its last rounds still to be played."""
    first = len(competition.rounds) - last_rounds
    rounds = [
        one_round
        if at < first
        else RoundData(
            one_round.number,
            tuple(build_fixture(*(seat.entry for seat in fixture.seats)) for fixture in one_round.fixtures),
        )
        for at, one_round in enumerate(competition.rounds)
    ]
    return CompetitionData(
        competition.entries, tuple(rounds), competition.points, competition.predetermined, competition.planned_rounds
    )


def write_trf(competition: CompetitionData) -> str:
    """Return a tournament of two-player games as a TRF file."""
    cells: dict[int, list[str]] = {entry.number: [] for entry in competition.entries}
    table, points = competition.points, dict.fromkeys(cells, 0.0)
    for one_round in competition.rounds:
        in_round = dict.fromkeys(cells, "0000 - Z" if not competition.predetermined else "        ")
        for fixture in one_round.fixtures:
            if len(fixture.seats) == 1:
                number = fixture.seats[0].entry
                in_round[number] = f"0000 - {BYES[fixture.kind]}"
                points[number] += float(getattr(table, fixture.kind))
                continue
            for own, other, colour in zip(fixture.seats, reversed(fixture.seats), "wb", strict=True):
                if fixture.kind == "forfeit":
                    code, gained = ("+", table.forfeit_win) if own.place == 1 else ("-", table.forfeit_loss)
                else:
                    code = "=" if own.place == other.place else "1" if own.place < other.place else "0"
                    gained = {"=": table.draw, "1": table.win, "0": table.loss}[code]
                in_round[own.entry] = f"{other.entry:4} {colour} {code}"
                points[own.entry] += float(gained)
        for number, cell in in_round.items():
            cells[number].append(cell)
    kind = "Round-Robin" if competition.predetermined else "Swiss"
    lines = ["012 Drawn", "042 2026/03/02", "052 2026/03/09", f"062 {len(cells)}", f"092 Individual: {kind}"]
    lines.append(f"XXR {len(competition.rounds)}")
    if table != PointsTable():
        # Half-point and full-point byes have the points of a draw and a win.
        score = {"W": table.win, "D": table.draw, "L": table.loss, "A": table.zero_bye, "P": table.pairing_bye}
        lines.append("162  " + "    ".join(f"{letter}{float(value):4.1f}" for letter, value in score.items()))
    for entry in competition.entries:
        rating = "    " if entry.rating is None else f"{entry.rating:4}"
        name = f"Player{entry.number}"
        head = f"001 {entry.number:4} m    {name:33} {rating} NOR {0:11} 1990/01/01"
        lines.append(
            f"{head} {points[entry.number]:4.1f} {entry.number:4}"
            + "".join(f"  {cell}" for cell in cells[entry.number])
        )
    return "\n".join(lines) + "\n"
