"""Merges: two players of the site turned out to be one person. A dated fact, and so is that it was taken back."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext as _

from league.models.facts import Player


class Merge(models.Model):
    """``player`` is ``into``, says someone. One is in force a player at most; one that was undone stays readable."""

    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="merges")
    into = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="merges_of_others")
    at = models.DateTimeField()
    by = models.CharField(max_length=200, blank=True)
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ("-at", "-pk")
        constraints = (
            models.UniqueConstraint(
                fields=["player"], condition=Q(undone_at__isnull=True), name="one_merge_in_force_a_player"
            ),
            models.CheckConstraint(condition=~Q(player=F("into")), name="no_merge_into_itself"),
            models.CheckConstraint(
                condition=Q(undone_at__isnull=False) | Q(undone_by=""), name="only_undone_merges_say_by_whom"
            ),
        )

    def __str__(self) -> str:
        return _("{player} is {other}").format(player=self.player, other=self.into)
