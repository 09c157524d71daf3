"""What games and adjustments have in common, and the sheet of a game."""

from typing import Any, Self, TypeVar

from django.db import models
from django.utils.translation import pgettext_lazy

M = TypeVar("M", bound=models.Model)
#: Maximum length of a reason.
MAX_REASON_LENGTH = 500
#: Key in a game's details: each seat's worksheet, if scores were computed from worksheets.
WORKSHEET = "worksheet"
#: The same: the points of each seat's side in each set, and whether it retired, if the result follows from sets.
SETS = "set_scores"
COMPUTED_FROM = frozenset({WORKSHEET, SETS})
#: The same: the values of declared fields that everyone may read, of the game and of each seat.
DECLARED = "declared_fields"
#: The keys of the details that are no fields of the rating system.
RESERVED = COMPUTED_FROM | {DECLARED}


class FactQuerySet(models.QuerySet[M]):
    """Facts that can be void."""

    def counting(self) -> Self:
        """Return those that are not void."""
        return self.filter(voided_at__isnull=True)


class Recorded(models.Model):
    """A fact that somebody recorded, and somebody may have voided."""

    recorded_at = models.DateTimeField()
    recorded_by = models.CharField(max_length=200, blank=True)
    voided_at = models.DateTimeField(null=True, blank=True)
    voided_by = models.CharField(max_length=200, blank=True)
    void_reason = models.CharField(max_length=MAX_REASON_LENGTH, blank=True)

    class Meta:
        abstract = True


class Sheet(models.Model):
    """What a score sheet says of a game, apart from its results; it never changes."""

    class Kind(models.TextChoices):
        """Only played games are rated."""

        PLAYED = "played", pgettext_lazy("kind of a game", "Played")
        FORFEIT = "forfeit", pgettext_lazy("kind of a game", "Forfeit")
        FULL_BYE = "full_bye", pgettext_lazy("kind of a game", "Full-point bye")
        HALF_BYE = "half_bye", pgettext_lazy("kind of a game", "Half-point bye")
        ZERO_BYE = "zero_bye", pgettext_lazy("kind of a game", "Zero-point bye")
        PAIRING_BYE = "pairing_bye", pgettext_lazy("kind of a game", "Pairing bye")
        FRIENDLY = "friendly", pgettext_lazy("kind of a game", "Friendly")

    played_at = models.DateTimeField()
    kind = models.CharField(max_length=12, choices=Kind.choices, default=Kind.PLAYED)
    external_id = models.CharField(max_length=200, null=True, blank=True)
    details = models.JSONField(default=dict, blank=True, help_text="The system's game fields, such as bula.")
    note = models.CharField(max_length=500, blank=True)
    weight = models.FloatField(default=1.0, help_text="How much it counts; 1 is usual.")
    metadata = models.JSONField(default=dict, db_default={}, blank=True, help_text="Texts of programs.")
    withheld = models.JSONField(
        default=dict, db_default={}, blank=True, help_text="Values of declared fields that not everyone may read."
    )

    class Meta:
        abstract = True

    @property
    def fields(self) -> dict[str, Any]:
        """Return the system's game fields: the details without worksheets, sets and declared fields."""
        return {key: value for key, value in self.details.items() if key not in RESERVED}

    @property
    def worksheets(self) -> list[dict[str, float]]:
        """Return the worksheets in seat order; empty if there are none."""
        rows: list[dict[str, float]] = self.details.get(WORKSHEET, [])
        return rows

    @property
    def set_rows(self) -> list[dict[str, Any]]:
        """Return the sets in seat order, each seat with those of its side; empty if there are none."""
        rows: list[dict[str, Any]] = self.details.get(SETS, [])
        return rows
