"""The models: facts (added, voided, ended), derived data (can be deleted and replayed), and records."""

from league.models.contexts import Context, ContextChange, ContextGamelessChange, ContextRating
from league.models.derived import GamelessChange, Period, Rating, RatingChange, Standing
from league.models.faces import EmblemPicture
from league.models.facts import Adjustment, Alias, Game, InitialRating, Player, Result, Rule
from league.models.fields import DeclaredField, GameValue, PlayerFields, PlayerValue
from league.models.ladders import Ladder, LadderRule
from league.models.leagues import League
from league.models.members import Invitation, Membership
from league.models.merges import Merge
from league.models.people import ExternalId, FormerOpaque, Inactive
from league.models.record import Decision, Edition, Head, Job, JobPart, LogEntry, LogText, Sign, Token
from league.models.requests import CacheEntry, Edits, RequestKey

__all__ = [
    "Adjustment",
    "Alias",
    "CacheEntry",
    "Context",
    "ContextChange",
    "ContextGamelessChange",
    "ContextRating",
    "Decision",
    "DeclaredField",
    "Edition",
    "Edits",
    "EmblemPicture",
    "ExternalId",
    "FormerOpaque",
    "Game",
    "GameValue",
    "GamelessChange",
    "Head",
    "Inactive",
    "InitialRating",
    "Invitation",
    "Job",
    "JobPart",
    "Ladder",
    "LadderRule",
    "League",
    "LogEntry",
    "LogText",
    "Membership",
    "Merge",
    "Period",
    "Player",
    "PlayerFields",
    "PlayerValue",
    "Rating",
    "RatingChange",
    "RequestKey",
    "Result",
    "Rule",
    "Sign",
    "Standing",
    "Token",
]
