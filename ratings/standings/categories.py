"""Categories of a competition's entries, such as women, a year of birth, a club or a band of ratings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Category:
    """Who belongs to a category: whoever meets all conditions. ``own``: own facts, by name (ruling R192)."""

    key: str
    title: str
    sex: str = ""
    born_from: int | None = None
    born_to: int | None = None
    club: str = ""
    rating_from: int | None = None
    rating_to: int | None = None
    own: Mapping[str, str] = field(default_factory=dict)

    def includes(self, about: Mapping[str, Any], rating: int | None) -> bool:
        """Return whether an entry belongs to it; ``about``: what is known of the person: sex, born, club, own facts."""
        texts = {**self.own, **({"sex": self.sex} if self.sex else {}), **({"club": self.club} if self.club else {})}
        if any(_fold(about.get(name, "")) != _fold(text) for name, text in texts.items()):
            return False
        born = about.get("born")
        if (self.born_from, self.born_to) != (None, None) and not (
            born is not None and _is_within(born, self.born_from, self.born_to)
        ):
            return False
        return self.rating_from is None if rating is None else _is_within(rating, self.rating_from, self.rating_to)


def _is_within(value: int, low: int | None, high: int | None) -> bool:
    return (low is None or low <= value) and (high is None or value <= high)


def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()
