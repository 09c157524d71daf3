"""Glicko-2 by the steps of its paper."""

import math


def rate_by_paper(
    player: tuple[float, float, float], others: list[tuple[float, float, float]], tau: float
) -> tuple[float, float, float]:
    """Rate a batch by steps 2 to 8 of the paper, without step 6; ``others``: rating, deviation, score.

    The zero of step 5 is found by halving.
    """
    rating, deviation, sigma = player
    mu, phi = (rating - 1500) / 173.7178, deviation / 173.7178
    terms = []
    for their_rating, their_deviation, score in others:
        g = (1 + 3 * (their_deviation / 173.7178) ** 2 / math.pi**2) ** -0.5
        e = 1 / (1 + math.exp(-g * (mu - (their_rating - 1500) / 173.7178)))
        terms.append((g, e, score))
    v = 1 / sum(g * g * e * (1 - e) for g, e, _ in terms)
    delta = v * sum(g * (score - e) for g, e, score in terms)

    def f(x: float) -> float:
        first: float = math.exp(x) * (delta**2 - phi**2 - v - math.exp(x)) / (2 * (phi**2 + v + math.exp(x)) ** 2)
        return first - (x - math.log(sigma**2)) / tau**2

    a = math.log(sigma**2)
    below = next(a - k * tau for k in range(1, 99) if f(a - k * tau) >= 0)
    low, high = sorted((a, math.log(delta**2 - phi**2 - v) if delta**2 > phi**2 + v else below))
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) > 0 else (low, middle)
    new = 1 / math.sqrt(1 / phi**2 + 1 / v)
    moved = mu + new**2 * sum(g * (score - e) for g, e, score in terms)
    return 1500 + 173.7178 * moved, 173.7178 * new, math.exp(low / 2)
