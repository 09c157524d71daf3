"""Builds the answers about adjustments: plain dicts with numbers at full precision."""

from typing import Any

from rest_framework.request import Request
from rest_framework.reverse import reverse

from league.selectors.adjustments import Told


def render_adjustment(request: Request, slug: str, told: Told) -> dict[str, Any]:
    """Return an adjustment with what it moved."""
    one, line = told
    return {
        "number": one.number,
        "url": reverse("api:adjustment", [slug, one.number], request=request),
        "player": one.player.handle,
        "name": one.player.name,
        "at": one.at,
        "amount": one.amount,
        "reason": one.reason,
        "recorded_at": one.recorded_at,
        "recorded_by": one.recorded_by,
        "void": one.voided_at is not None,
        "voided_at": one.voided_at,
        "voided_by": one.voided_by,
        "void_reason": one.void_reason,
        "before": line and line.before,
        "after": line and line.after,
    }
