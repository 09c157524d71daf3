"""The tables: facts (added, voided, ended), derived (may be thrown away and replayed), record."""

from league.models.derived import Rating, RatingChange
from league.models.facts import Alias, Game, InitialRating, League, Player, Result, Rule
from league.models.record import Token

__all__ = [
    "Alias",
    "Game",
    "InitialRating",
    "League",
    "Player",
    "Rating",
    "RatingChange",
    "Result",
    "Rule",
    "Token",
]
