"""Drawn tournaments that are paired again by a second engine of the same edition (caissify-pairings, 2026), and back.

It was written apart from gacrux and held to bbpPairings by its makers. Three inputs are left out, which it reads in
another way: half-point and zero-point byes, which it counts as byes that a player had (C.04.3 1.5 counts those with the
points of a win only); games that are not rated (W, D, L), which it does not know; and points that an arbiter gave. It
compares who meets, not the colours.

Back, it draws the tournaments, and our checker pairs them again. Of two floaters whose preferences are equal it grants
the lower number's, where C.04.3 article 5.2.5 has the higher score first: its colours are counted apart.
"""

from collections.abc import Iterable

from caissify_pairings.fpc import check_trf
from caissify_pairings.rtg import generate_tournament

from ratings.tournaments.checking import check_text
from ratings.tournaments.drawing import draw_tournament
from ratings.tournaments.settings import DrawSettings
from ratings.trf.building import build_document
from ratings.trf.writing import write_trf


def choose_size(seed: int) -> tuple[int, int]:
    """Return the numbers of players and rounds of a drawn tournament."""
    size = 6 + seed % 11
    return size, min(7, size // 2)


def count_rounds(seeds: Iterable[int]) -> tuple[int, list[tuple[int, int]]]:
    """Return how many rounds of drawn tournaments were compared, and (seed, round) of those that differ."""
    compared, differences = 0, []
    for seed in seeds:
        size, rounds = choose_size(seed)
        settings = DrawSettings(
            players=size, rounds=rounds, half_point_byes=0, zero_point_byes=0, unusual_results=0,
            unrated_games=0, acceleration="none",
        )  # fmt: skip
        document = build_document(draw_tournament(settings, seed).competition, version="16")
        report = check_trf(write_trf(document, version="16").decode().replace("\r\n", "\n"))
        compared += len(report["rounds"])
        differences += [(seed, one["round"]) for one in report["rounds"] if not one["match"]]
    return compared, differences


def count_rounds_back(seeds: Iterable[int]) -> tuple[int, list[tuple[int, int]], int]:
    """Return how many rounds that the second engine drew were compared, (seed, round) of those in which others meet,
    and the number of games with other colours.
    """
    compared, differences, colours = 0, set(), 0
    for seed in seeds:
        check = check_text(generate_tournament(*choose_size(seed), seed=seed))
        compared += check.rounds
        for found in check.differences:
            if found.code == "colours_differ":
                colours += 1
            elif found.round:
                differences.add((seed, found.round))
    return compared, sorted(differences), colours
