"""Drawn tournaments that are paired again by a second engine of the same edition (caissify-pairings, 2026), and back.

It was written apart from gacrux and held to bbpPairings by its makers. Three inputs are left out, which it reads in
another way: half-point and zero-point byes, which it counts as byes that a player had (C.04.3 1.5 counts those with the
points of a win only); games that are not rated (W, D, L), which it does not know; and points that an arbiter gave. It
compares who meets, not the colours.

Back, it draws the tournaments, and our checker pairs them again. Of two floaters whose preferences are equal it grants
the lower number's, where C.04.3 article 5.2.5 has the higher score first: its colours are counted apart.

What differs is judged by counting, without any engine: in the first bracket that different players leave, the pairing
that fewer leave is the better one (C.04.3 C6).
"""

from collections.abc import Iterable, Set
from fractions import Fraction
from typing import NamedTuple

from caissify_pairings.fpc import check_trf
from caissify_pairings.rtg import generate_tournament

from ratings.contract.result_table import cut_rounds, tabulate_results
from ratings.tournaments.checking import build_format, check_text, list_pairs, pair_again
from ratings.tournaments.drawing import draw_tournament
from ratings.tournaments.settings import DrawSettings
from ratings.trf.building import build_document
from ratings.trf.competition import TrfCompetition, read_competition
from ratings.trf.reading import read_text
from ratings.trf.writing import write_trf


def choose_size(seed: int) -> tuple[int, int]:
    """Return the numbers of players and rounds of a drawn tournament."""
    size = 6 + seed % 11
    return size, min(7, size // 2)


class PairingDifference(NamedTuple):
    """A round that two engines pair differently: the first bracket that different players leave, and who they are.

    ``bracket``: its points, None if the same players leave each.
    """

    seed: int
    round: int
    bracket: Fraction | None
    ours: Set[int]
    theirs: Set[int]

    @property
    def is_explained(self) -> bool:
        """Whether fewer leave the bracket by our pairing, which no later criterion outweighs."""
        return self.bracket is not None and len(self.ours) < len(self.theirs)

    def __str__(self) -> str:
        why = f"{sorted(self.ours)} leave the bracket of {self.bracket} by ours, {sorted(self.theirs)} by theirs"
        return f"Seed {self.seed}, round {self.round}: {'explained' if self.is_explained else 'not explained'}; {why}."


def find_leaving(pairs: Iterable[Iterable[int]], points: dict[int, Fraction], bracket: Fraction) -> frozenset[int]:
    """Return who has at least some points and meets somebody who has fewer, or nobody."""
    within = {entry for entry, own in points.items() if own >= bracket}
    met = {entry for pair in map(set, pairs) if pair <= within for entry in pair}
    return frozenset(within - met)


def judge_round(
    seed: int, number: int, points: dict[int, Fraction], ours: list[tuple[int, int]], theirs: list[tuple[int, int]]
) -> PairingDifference:
    """Compare two pairings (0: nobody) of a round by who leaves each bracket, the highest first."""
    for bracket in sorted(set(points.values()), reverse=True):
        leaving = [find_leaving(pairs, points, bracket) for pairs in (ours, theirs)]
        if leaving[0] != leaving[1]:
            return PairingDifference(seed, number, bracket, *leaving)
    return PairingDifference(seed, number, None, frozenset(), frozenset())


def compute_points_before(competition: TrfCompetition, number: int) -> dict[int, Fraction]:
    """Return entry -> points before a round."""
    table = cut_rounds(tabulate_results(competition.data), number - 1)
    return {entry: Fraction(units, table.scale) for entry, units in table.points.items()}


def count_rounds(seeds: Iterable[int]) -> tuple[int, list[PairingDifference]]:
    """Return how many rounds of drawn tournaments were compared, and those that differ."""
    compared, differences = 0, list[PairingDifference]()
    for seed in seeds:
        size, rounds = choose_size(seed)
        settings = DrawSettings(
            players=size, rounds=rounds, half_point_byes=0, zero_point_byes=0, unusual_results=0,
            unrated_games=0, acceleration="none",
        )  # fmt: skip
        competition = draw_tournament(settings, seed).competition
        document = build_document(competition, version="16")
        report = check_trf(write_trf(document, version="16").decode().replace("\r\n", "\n"))
        compared += len(report["rounds"])
        for one in report["rounds"]:
            if not one["match"]:
                ours, theirs = (
                    [(pair["white"], pair["black"] or 0) for pair in one[name]]
                    for name in ("trf_pairings", "engine_pairings")
                )
                points = compute_points_before(competition, one["round"])
                differences.append(judge_round(seed, one["round"], points, ours, theirs))
    return compared, differences


def count_rounds_back(seeds: Iterable[int]) -> tuple[int, list[PairingDifference], int]:
    """Return how many rounds that the second engine drew were compared, those in which others meet, and the number of
    games with other colours.
    """
    compared, differences, colours = 0, list[PairingDifference](), 0
    for seed in seeds:
        text = generate_tournament(*choose_size(seed), seed=seed)
        check = check_text(text)
        compared += check.rounds
        colours += sum(found.code == "colours_differ" for found in check.differences)
        numbers = {found.round for found in check.differences if found.round and found.code != "colours_differ"}
        differences += [judge_drawn_round(seed, number, text) for number in sorted(numbers)]
    return compared, differences, colours


def judge_drawn_round(seed: int, number: int, text: str) -> PairingDifference:
    """Compare a round of a report that the second engine drew with ours."""
    competition = read_competition(read_text(text))
    (drawn,) = (one for one in competition.data.rounds if one.number == number)
    pairing_format = build_format(competition)
    assert pairing_format is not None
    ours = pair_again(competition, pairing_format, drawn)
    return judge_round(seed, number, compute_points_before(competition, number), ours, list_pairs(drawn))
