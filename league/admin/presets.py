"""Published sets of parameters that may fill the form of a rule."""

from typing import Any

from django.http import HttpRequest

from ratings.contract.method import Method
from ratings.contract.system import RatingSystem


def chosen_preset(request: HttpRequest, declared: type[RatingSystem] | type[Method], prefix: str) -> dict[str, Any]:
    """Return what the form of the parameters begins with where a preset was chosen in the address; else nothing."""
    key = request.GET.get("preset", "")
    chosen = next((one for one in declared.presets if one.key == key), None)
    values = declared.from_json(chosen.parameters).to_json() if chosen else {}
    return {f"{prefix}{name}": value for name, value in values.items()}


def offered_presets(request: HttpRequest, declared: type[RatingSystem] | type[Method]) -> list[dict[str, Any]]:
    """Return the presets to choose from: what each is called and says, and the address that chooses it."""
    known = declared.parameters()
    found = []
    for preset in declared.presets:
        query = request.GET.copy()
        query["preset"] = preset.key
        found.append(
            {
                "title": preset.title,
                "since": preset.since,
                "values": [(known[name].label, value) for name, value in preset.parameters.items()],
                "query": query.urlencode(),
                "chosen": request.GET.get("preset") == preset.key,
            }
        )
    return found
