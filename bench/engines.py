"""Compares the pairings of many drawn tournaments with a second engine's: of ours, and of those that it draws."""

from tests.ratings.pairing_formats.second_engine import count_rounds, count_rounds_back

#: Tournaments after which the figures are printed.
STEP = 500


def compare(tournaments: int, first_seed: int, *, back: bool) -> int:
    """Compare tournaments, print the figures as they grow and each difference, and return 1 if one is not explained.

    ``back``: those that the second engine draws.
    """
    rounds, found, explained, colours = 0, 0, 0, 0
    for start in range(first_seed, first_seed + tournaments, STEP):
        end = min(start + STEP, first_seed + tournaments)
        compared, differences, other = (
            count_rounds_back(range(start, end)) if back else (*count_rounds(range(start, end)), 0)
        )
        rounds, found, colours = rounds + compared, found + len(differences), colours + other
        explained += sum(one.is_explained for one in differences)
        for one in differences:
            print(one)
        more = f", {colours:,} games with other colours" if back else ""
        shares = f"{found} differences, {explained} of them explained"
        print(f"{end - first_seed:,} tournaments, {rounds:,} rounds, {shares}{more}", flush=True)
    return int(found > explained)
