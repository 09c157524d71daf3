"""Merges: two players turned out to be one person. Merging and undoing a merge are dated facts."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext as _

from league.core.records import Record
from league.models.facts import Player


class Merge(models.Model):
    """``player`` is the same person as ``into``. A player has at most one merge in force; undone ones are kept."""

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


MERGE_RECORD = Record(Merge, "player=player.handle name=player.name into=into.handle at by undone_at undone_by")
