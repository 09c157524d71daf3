"""The board of a second system; it is not part of the log or of exports."""

from django.db import models

from league.models import League


class SecondBoard(models.Model):
    """A league's board by another system: the choice, and the last result of the worker."""

    league = models.OneToOneField(League, on_delete=models.CASCADE, primary_key=True, related_name="second_board")
    system = models.CharField(max_length=40)
    parameters = models.JSONField(help_text="All of them, so that another default changes no board.")
    chosen_at = models.DateTimeField()
    chosen_by = models.CharField(max_length=200, blank=True)
    log_sha256 = models.CharField(
        max_length=64, blank=True, help_text="The head of the log when its games were read; empty: never."
    )
    made_at = models.DateTimeField(null=True, blank=True)
    games = models.PositiveBigIntegerField(default=0, help_text="Rated games that it is made of.")
    last_number = models.PositiveBigIntegerField(null=True, blank=True)
    why_not = models.JSONField(
        null=True, blank=True, help_text="Why the system cannot rate the games, as a sentence is kept."
    )
    standings = models.BinaryField(
        default=bytes, help_text="Players, states and scores as packed columns; nobody: empty."
    )

    class Meta:
        db_table = "league_secondboard"

    def __str__(self) -> str:
        return self.system
