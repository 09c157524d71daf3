"""Facts about players other than games and initial ratings."""

from django.db import models
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.core.players.external_ids import MAX_ID_LENGTH, MAX_PROVIDER_LENGTH
from league.models.facts import Player, build_original_player_field
from league.models.leagues import League


class Inactive(models.Model):
    """A player who has left a league: not on its leaderboard, not offered for new games."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_index=False, related_name="inactive")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="inactive_in")

    class Meta:
        ordering = ("league", "player")
        verbose_name_plural = gettext_lazy("inactive players")
        constraints = (models.UniqueConstraint(fields=["league", "player"], name="inactive_once_a_league"),)

    def __str__(self) -> str:
        return _("{player} in {league}").format(player=self.player, league=self.league)


class ExternalId(models.Model):
    """A player's id in another program or federation; each id refers to one player of the site."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="external_ids")
    provider = models.CharField(max_length=MAX_PROVIDER_LENGTH)
    value = models.CharField(max_length=MAX_ID_LENGTH)
    recorded_as = build_original_player_field()

    class Meta:
        ordering = ("provider", "value")
        verbose_name_plural = gettext_lazy("external ids")
        constraints = (models.UniqueConstraint(fields=["provider", "value"], name="one_player_an_external_id"),)

    def __str__(self) -> str:
        return f"{self.provider}:{self.value}"


class FormerOpaque(models.Model):
    """The id of an existing player in the log of a league that was restored from an export."""

    opaque = models.CharField(max_length=24, unique=True)
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="former_opaques")

    class Meta:
        ordering = ("opaque",)

    def __str__(self) -> str:
        return self.opaque
