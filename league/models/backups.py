"""Nightly backups that were tried: no facts; no log, no export holds them."""

from django.db import models


class Drill(models.Model):
    """One night's backup: made, restored into a database of its own, compared, and verified in part."""

    class State(models.TextChoices):
        """Where it stands. A running one whose worker died is taken up again by the sweep."""

        WAITING = "waiting"
        RUNNING = "running"
        GOOD = "good"
        BAD = "bad"

    night = models.DateField(unique=True, help_text="In UTC, the day on which it was due.")
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    started_at = models.DateTimeField(null=True, blank=True)
    beat_at = models.DateTimeField(null=True, blank=True, help_text="The last sign of life of its worker.")
    ended_at = models.DateTimeField(null=True, blank=True)
    backup = models.CharField(max_length=60, blank=True, help_text="The name of its folder.")
    result = models.JSONField(null=True, blank=True)
    problem = models.TextField(blank=True, help_text="Why it is bad, for whoever looks after the site.")

    class Meta:
        ordering = ("-night",)

    def __str__(self) -> str:
        """Return the night and the state."""
        return f"{self.night}: {self.state}"

    @property
    def megabytes(self) -> float:
        """Return the size of the backup, in MB."""
        return float((self.result or {}).get("bytes", 0)) / 1e6
