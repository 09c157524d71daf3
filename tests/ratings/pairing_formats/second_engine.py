"""Drawn tournaments that are paired again by a second engine of the same edition (caissify-pairings, 2026).

It was written apart from gacrux and held to bbpPairings by its makers. Three inputs are left out, which it reads in
another way: half-point and zero-point byes, which it counts as byes that a player had (C.04.3 1.5 counts those with the
points of a win only); games that are not rated (W, D, L), which it does not know; and points that an arbiter gave. It
compares who meets, not the colours.
"""

from collections.abc import Iterable

from caissify_pairings.fpc import check_trf

from ratings.tournaments.drawing import draw_tournament
from ratings.tournaments.settings import DrawSettings
from ratings.trf.building import build_document
from ratings.trf.writing import write_trf


def count_rounds(seeds: Iterable[int]) -> tuple[int, list[tuple[int, int]]]:
    """Return how many rounds of drawn tournaments were compared, and (seed, round) of those that differ."""
    compared, differences = 0, []
    for seed in seeds:
        size = 6 + seed % 11
        settings = DrawSettings(
            players=size, rounds=min(7, size // 2), half_point_byes=0, zero_point_byes=0, unusual_results=0,
            unrated_games=0, acceleration="none",
        )  # fmt: skip
        document = build_document(draw_tournament(settings, seed).competition, version="16")
        report = check_trf(write_trf(document, version="16").decode().replace("\r\n", "\n"))
        compared += len(report["rounds"])
        differences += [(seed, one["round"]) for one in report["rounds"] if not one["match"]]
    return compared, differences
