"""What answering requests takes beside the books: how often players were edited, and keys of requests."""

from django.db import models


class Edits(models.Model):
    """How often what boards show of players (handle, name, active) was changed: one row, kept by a trigger.

    The trigger counts whoever changes a player, so that nothing that was kept of a board outlives it.
    """

    name = models.CharField(max_length=20, primary_key=True)
    count = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        """Return what is counted and how often."""
        return f"{self.name}: {self.count}"
