"""Pastes: games recorded together, and the last column roles used for a text."""

from django.db import models
from django.utils.translation import gettext as _

from league.models.leagues import League


class PasteBatch(models.Model):
    """Games that were recorded together from one text: their range of numbers."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="paste_batches")
    key = models.CharField(max_length=32, help_text="The key of the form that recorded them.")
    recorded_at = models.DateTimeField()
    recorded_by = models.CharField(max_length=200, blank=True)
    first = models.PositiveBigIntegerField(help_text="The number of its first game.")
    last = models.PositiveBigIntegerField(help_text="The number of its last game.")

    class Meta:
        db_table = "league_pastebatch"
        ordering = ("league", "-recorded_at")
        constraints = (
            models.UniqueConstraint(fields=["league", "key"], name="one_paste_a_key"),
            models.CheckConstraint(condition=models.Q(last__gte=models.F("first")), name="pastes_have_games"),
        )

    def __str__(self) -> str:
        return _("games {first} to {last}").format(first=self.first, last=self.last)


class PasteColumns(models.Model):
    """The column roles last used for texts with this head, proposed the next time."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="paste_columns")
    head = models.CharField(max_length=64, help_text="SHA-256 of what tells such texts from others.")
    said = models.JSONField(help_text="Position of a column -> its role, where that is not as guessed; and the order.")
    used_at = models.DateTimeField()

    class Meta:
        db_table = "league_pastecolumns"
        ordering = ("league", "-used_at")
        constraints = (models.UniqueConstraint(fields=["league", "head"], name="one_reading_a_head"),)

    def __str__(self) -> str:
        return self.head
