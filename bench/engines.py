"""Compares the pairings of many drawn tournaments with those of a second engine."""

from tests.ratings.pairing_formats.second_engine import count_rounds

#: Tournaments after which the figures are printed.
STEP = 500


def compare(tournaments: int, first_seed: int) -> int:
    """Compare tournaments, print the figures as they grow and each difference, and return 1 if there is one."""
    rounds, found = 0, 0
    for start in range(first_seed, first_seed + tournaments, STEP):
        end = min(start + STEP, first_seed + tournaments)
        compared, differences = count_rounds(range(start, end))
        rounds, found = rounds + compared, found + len(differences)
        for seed, number in differences:
            print(f"Seed {seed}, round {number} differs.")
        print(f"{end - first_seed:,} tournaments, {rounds:,} rounds, {found} differences", flush=True)
    return int(found > 0)
