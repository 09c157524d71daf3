"""Lots that are drawn from a seed: whoever draws again gets the same."""

import hashlib


def draw_lot(seed: int, of: object) -> str:
    """Return the lot of something, 64 hexadecimal digits; the lower one is first."""
    return hashlib.sha256(f"{seed}:{of}".encode()).hexdigest()
