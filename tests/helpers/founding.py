"""The two steps in which a league is founded at the desk."""

from typing import Any

NEW = "/admin/leagues/+new/"
FIRST = {"title": "Thursday club", "slug": "", "template": "barbu", "game": "", "visibility": "public"}


def first_step(**more: Any) -> dict[str, Any]:
    """Return the first step, filled in."""
    return {**FIRST, "time_zone": "Europe/Belgrade", **more}


def second_step(page: Any, **more: Any) -> dict[str, Any]:
    """Return the second step as a browser sends it: what the first one said, and the parameters as they stand."""
    rule = page.context["rule"]
    values = {f"{rule.prefix}-{name}": rule[name].value() for name in rule.fields}
    return {
        **{name: page.context["form"][name].value() or "" for name in page.context["form"].fields},
        **values,
        **more,
    }
