"""Contexts: ratings of their own for the games of a league that match a filter, and their derived data.

``League.context`` chooses whose derived data is meant (``league.core.contexts.scopes.scope_league``): ``changes_of``,
``gameless_changes_of`` and ``ratings_of`` return those of the league, or those of the context.
"""

from typing import Any

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy, pgettext_lazy

from league.core.log_tables import LogTable
from league.core.records import Record
from league.core.text.stored_messages import phrase
from league.models.derived import (
    ChangeLine,
    GamelessChange,
    GamelessLine,
    Rating,
    RatingChange,
    RatingRow,
)
from league.models.leagues import League, LeagueKey

#: The most contexts of a league.
MAX_CONTEXTS = 8


class Context(models.Model):
    """A rating of its own for the games of a league that match a filter."""

    class Start(models.TextChoices):
        """Where a player's rating begins."""

        OWN = "own", pgettext_lazy("where a context begins", "As a newcomer")
        FROM_MAIN = "from_main", pgettext_lazy("where a context begins", "From the league's own rating")

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_index=False, related_name="contexts")
    slug = models.SlugField(max_length=50, validators=[RegexValidator(r"^[a-z0-9][a-z0-9_-]*\Z")])
    title = models.CharField(max_length=80)
    filter = models.JSONField(default=dict, blank=True, help_text=gettext_lazy("Which games count; empty: all."))
    start = models.CharField(max_length=9, choices=Start.choices, default=Start.OWN)
    system = models.CharField(
        max_length=40, blank=True, help_text=gettext_lazy("The rating system; empty: the league's own rules.")
    )
    parameters = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.CharField(max_length=200, blank=True, editable=False)
    pending = models.BooleanField(
        default=False, editable=False, help_text="Whether a worker is about to compute all its ratings."
    )

    class Meta:
        ordering = ("league", "pk")
        constraints = (
            models.UniqueConstraint(fields=["league", "slug"], name="one_context_a_slug"),
            models.CheckConstraint(condition=~Q(slug="") & ~Q(title=""), name="context_is_named"),
            models.CheckConstraint(condition=Q(start__in=["own", "from_main"]), name="context_start"),
        )

    def __str__(self) -> str:
        return self.title

    @property
    def follows_initial_ratings(self) -> bool:
        """Return whether players begin with the league's initial ratings, as in the league itself."""
        return not self.system and self.start == self.Start.OWN


CONTEXT_RECORD = Record(Context, "slug title filter start system parameters created_at created_by")
CONTEXT_LOG = LogTable(
    CONTEXT_RECORD,
    "contexts",
    kinds=["context.created", "context.changed"],
    key="context",
    renamed="context=slug",
    stated="by=created_by created_at",
    name=lambda slug: phrase("The context {context}", context=slug),
    counted=phrase("in contexts, compared with the log"),
)


class ContextChange(ChangeLine):
    """One line of the history of a context's ratings."""

    context = LeagueKey(Context, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")

    class Meta:
        ordering = ("-at", "-order_key", "-step")
        indexes = (models.Index(fields=["league", "context", "at", "order_key"], name="context_change_order"),)
        constraints = (
            models.UniqueConstraint(
                fields=["league", "context", "player", "games", "step"], name="one_context_change_a_step"
            ),
        )


class ContextGamelessChange(GamelessLine):
    """One line without a game of the history of a context's ratings."""

    context = LeagueKey(Context, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")

    class Meta:
        ordering = ("-at", "-number")
        constraints = (
            models.UniqueConstraint(
                fields=["league", "context", "player", "at", "number"], name="one_context_gameless_change"
            ),
        )


class ContextRating(RatingRow):
    """A player's current rating in a context."""

    context = LeagueKey(Context, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")

    class Meta:
        ordering = ("-score", "player")
        indexes = (models.Index(fields=["league", "context", "-score"], name="context_board_order"),)
        constraints = (
            models.UniqueConstraint(fields=["league", "context", "player"], name="one_context_rating_a_player"),
        )


def changes_of(league: League) -> QuerySet[Any]:
    """Return the lines of the history of a league, or of the context that it is read in."""
    return _rows_of(league, RatingChange, ContextChange)


def gameless_changes_of(league: League) -> QuerySet[Any]:
    """Return the lines without a game of a league, or of the context that it is read in."""
    return _rows_of(league, GamelessChange, ContextGamelessChange)


def ratings_of(league: League) -> QuerySet[Any]:
    """Return the current ratings of a league, or of the context that it is read in."""
    return _rows_of(league, Rating, ContextRating)


def _rows_of(league: League, model: type[models.Model], scoped: type[models.Model]) -> QuerySet[Any]:
    if league.context is None:
        return model._default_manager.filter(league=league)
    return scoped._default_manager.filter(league=league, context=league.context)
