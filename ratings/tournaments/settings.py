"""The settings of a drawn tournament: given in a file or by options; the others are drawn."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from random import Random
from typing import Any

from ratings.standings.tie_break_codes import UnknownTieBreak, parse_code
from ratings.texts import N_, say

MAX_PLAYERS, MAX_ROUNDS = 2000, 30
LOWEST_RATING, HIGHEST_RATING = 1400, 2800
#: Lists of tie-breaks from which one is drawn.
USUAL_LISTS = (
    ("BH/C1", "BH", "SB", "DE"), ("DE", "BH/C1", "SB"), ("BH", "WIN", "SB"), ("BH/M1", "PS", "TPN"),
    ("SB", "BPG", "WON"),
)  # fmt: skip
#: Probabilities: name -> the highest that is drawn.
SHARES = {
    "draws": 0.6,
    "half_point_byes": 0.06,
    "zero_point_byes": 0.06,
    "full_point_byes": 0.02,
    "forfeits": 0.06,
    "unusual_results": 0.03,
    "unrated_games": 0.02,
    "unrated_players": 0.2,
}
#: Settings that are one of two words.
CHOICES = {"first_colour": ("white", "black"), "acceleration": ("none", "baku")}


class BadSettings(ValueError):
    """Settings from which nothing can be drawn."""


@dataclass(frozen=True)
class DrawSettings:
    """What a tournament is drawn by; None is drawn.

    ``ratings``: those of the players; otherwise they are drawn between ``lowest_rating`` and ``highest_rating``.
    Shares are from 0 to 1: of byes and unrated players, of players; of the others, of games. ``unusual_results`` are
    those that only an arbiter gives: ½–0 and 0–0.
    """

    players: int | None = None
    rounds: int | None = None
    ratings: tuple[int, ...] = ()
    lowest_rating: int | None = None
    highest_rating: int | None = None
    draws: float | None = None
    half_point_byes: float | None = None
    zero_point_byes: float | None = None
    full_point_byes: float | None = None
    forfeits: float | None = None
    unusual_results: float | None = None
    unrated_games: float | None = None
    unrated_players: float | None = None
    tie_breaks: tuple[str, ...] | None = None
    first_colour: str | None = None
    acceleration: str | None = None

    def complete(self, random: Random) -> "DrawSettings":
        """Return the settings with what is not given drawn; raises BadSettings."""
        players = self.players or len(self.ratings) or random.randint(8, 60)
        shares = {name: random.uniform(0, highest) for name, highest in SHARES.items()}
        if self.ratings:
            shares["unrated_players"] = 0.0
        drawn: dict[str, Any] = {
            "players": players,
            # Longer tournaments often end with a round that no rule can pair.
            "rounds": min(random.randint(5, 11), max(1, players // 2)),
            "lowest_rating": min(LOWEST_RATING, self.highest_rating or LOWEST_RATING),
            "highest_rating": max(HIGHEST_RATING, self.lowest_rating or 0),
            "tie_breaks": random.choice(USUAL_LISTS),
            "first_colour": random.choice(CHOICES["first_colour"]),
            "acceleration": random.choice(CHOICES["acceleration"]),
            **shares,
        }
        given = {name: value for name, value in vars(self).items() if value is not None}
        completed = replace(self, **(drawn | given))
        completed.check()
        return completed

    def check(self) -> None:
        """Raise BadSettings if nothing can be drawn from complete settings."""
        for name, lowest, highest in (
            ("players", 2, MAX_PLAYERS),
            ("rounds", 1, MAX_ROUNDS),
            ("lowest_rating", 1, 9999),
            ("highest_rating", 1, 9999),
            *((share, 0, 1) for share in SHARES),
        ):
            value = getattr(self, name)
            if not lowest <= value <= highest:
                raise BadSettings(say(OUT_OF_RANGE, name=name, lowest=lowest, highest=highest, value=value))
        if self.ratings and len(self.ratings) != self.players:
            raise BadSettings(say(RATINGS, ratings=len(self.ratings), players=self.players))
        if (self.lowest_rating or 0) > (self.highest_rating or 0):
            raise BadSettings(say(BOUNDS))
        for name, words in CHOICES.items():
            if getattr(self, name) not in words:
                raise BadSettings(say(CHOICE, name=name, first=words[0], second=words[1], value=getattr(self, name)))
        try:
            for code in self.tie_breaks or ():
                parse_code(code)
        except UnknownTieBreak as error:
            raise BadSettings(str(error.args[0])) from None


OUT_OF_RANGE = N_("“{name}” is from {lowest} to {highest}, not {value}.")
RATINGS = N_("There are {ratings} ratings for {players} players.")
BOUNDS = N_("The lowest rating is above the highest.")
CHOICE = N_("“{name}” is {first} or {second}, not “{value}”.")
UNKNOWN = N_("There is no setting “{name}”; the settings are: {names}.")
WRONG_TYPE = N_("“{name}” cannot be {value}.")
#: Name -> the types of its values in a file.
TYPES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("players", "rounds", "lowest_rating", "highest_rating"), (int,)),
    **dict.fromkeys(SHARES, (int, float)),
    "ratings": (list,),
    "tie_breaks": (list,),
    **dict.fromkeys(CHOICES, (str,)),
}
#: The types of the items of lists.
ITEMS: dict[str, type] = {"ratings": int, "tie_breaks": str}


def read_settings(text: str) -> DrawSettings:
    """Return the settings of a file in TOML, ``name = value`` on each line; raises BadSettings."""
    try:
        return build_settings(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(str(error)) from None


def build_settings(given: Mapping[str, Any]) -> DrawSettings:
    """Return settings by name; raises BadSettings."""
    names = [field.name for field in fields(DrawSettings)]
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in names:
            raise BadSettings(say(UNKNOWN, name=name, names=", ".join(names)))
        if isinstance(value, bool) or not isinstance(value, TYPES[name]) or not _has_items(name, value):
            raise BadSettings(say(WRONG_TYPE, name=name, value=value))
        values[name] = tuple(value) if isinstance(value, list) else value
    return DrawSettings(**values)


def _has_items(name: str, value: Any) -> bool:
    """Return whether the items of a list have their type."""
    return name not in ITEMS or all(isinstance(item, ITEMS[name]) and not isinstance(item, bool) for item in value)
