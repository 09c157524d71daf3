"""How much runs: RUNGS_TEST_TIER is quick, ci (the default) or long; docs/testing.md says what runs where."""

import os

#: Tier -> by what the number of examples of every property is multiplied.
FACTORS = {"quick": 0.2, "ci": 1.0, "long": 10.0}
TIER = os.environ.get("RUNGS_TEST_TIER", "ci")
if TIER not in FACTORS:
    raise SystemExit(f"RUNGS_TEST_TIER must be one of {', '.join(FACTORS)}; it is “{TIER}”.")


def examples(ci: int, tier: str = TIER) -> int:
    """Return how many examples a property that has so many in tier ci has in this one."""
    return max(2, round(ci * FACTORS[tier]))
