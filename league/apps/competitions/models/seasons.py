"""Seasons: frames of competitions with rules that lead from places to divisions, points and stages.

All rows are facts. What competitions say is never stored here: a season reads it (``selectors.season_data``).
"""

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy, pgettext_lazy

from league.apps.competitions.models.competitions import Competition, build_rating_field
from league.apps.competitions.models.documents import PublishedDocument
from league.models.facts import Player
from league.models.leagues import League, LeagueKey
from league.models.recorded import MAX_REASON_LENGTH

#: The most days without rounds.
MAX_BLOCKED = 366


class Season(models.Model):
    """A frame of competitions. ``rule``: of ``ratings.seasons.rules``, with all parameters.

    ``blocked``: days on which no round begins. ``previous``: the season whose closing standings the divisions follow.
    """

    class Status(models.TextChoices):
        """The status of a season."""

        DRAFT = "draft", pgettext_lazy("status of a season", "Draft")
        OPEN = "open", pgettext_lazy("status of a season", "Open for entries")
        RUNNING = "running", pgettext_lazy("status of a season", "Running")
        CLOSED = "closed", pgettext_lazy("status of a season", "Closed")
        CANCELLED = "cancelled", pgettext_lazy("status of a season", "Cancelled")

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_index=False, related_name="seasons")
    slug = models.SlugField(max_length=50, validators=[RegexValidator(r"^[a-z0-9][a-z0-9_-]*\Z")])
    title = models.CharField(max_length=80)
    description = models.TextField(blank=True, max_length=4000)
    starts = models.DateField(null=True, blank=True, help_text=gettext_lazy("The first day."))
    ends = models.DateField(null=True, blank=True, help_text=gettext_lazy("The last day."))
    entries_until = models.DateTimeField(null=True, blank=True)
    previous = LeagueKey(
        "self", null=True, blank=True, on_delete=models.RESTRICT, db_index=False, related_name="following"
    )
    rule = models.JSONField()
    blocked = models.JSONField(default=list, blank=True, help_text="Days without rounds.")
    status = models.CharField(max_length=9, choices=Status.choices, default=Status.DRAFT)
    created_at = models.DateTimeField(editable=False)
    created_by = models.CharField(max_length=200, blank=True, editable=False)

    class Meta:
        ordering = ("league", "-created_at", "slug")
        constraints = (
            models.UniqueConstraint(fields=["league", "slug"], name="one_season_a_slug"),
            # A season that is cancelled leaves its place to another.
            models.UniqueConstraint(
                fields=["league", "previous"],
                condition=Q(previous__isnull=False) & ~Q(status="cancelled"),
                name="one_season_after_one",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["draft", "open", "running", "closed", "cancelled"]), name="season_status"
            ),
        )

    def __str__(self) -> str:
        return self.title


#: The settings of a season, in the order of logs and exports.
SEASON_VALUES = tuple(
    field.name for field in Season._meta.concrete_fields if field.name not in ("id", "league", "slug")
)
#: Those that people give, apart from ``status``, which has its own rules.
SEASON_SETTINGS = SEASON_VALUES[: SEASON_VALUES.index("status")]


class SeasonEntry(models.Model):
    """A player in a season. ``level`` and ``letter``: the division, given by the draw, or before it by hand.

    ``reason``: of a change by hand.
    """

    class Status(models.TextChoices):
        """The status of an entry."""

        ENTERED = "entered", pgettext_lazy("status of an entry", "Entered")
        WITHDRAWN = "withdrawn", pgettext_lazy("status of an entry", "Withdrawn")

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    season = LeagueKey(Season, on_delete=models.CASCADE, db_index=False, related_name="entries")
    number = models.PositiveSmallIntegerField()
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="season_entries")
    rating = build_rating_field("At the draw, or brought along.")
    status = models.CharField(max_length=9, choices=Status.choices, default=Status.ENTERED)
    level = models.PositiveSmallIntegerField(null=True, blank=True)
    letter = models.CharField(max_length=1, blank=True)
    reason = models.CharField(max_length=MAX_REASON_LENGTH, blank=True)
    entered_at = models.DateTimeField()
    entered_by = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ("season", "number")
        constraints = (
            models.UniqueConstraint(fields=["league", "season", "number"], name="one_season_entry_a_number"),
            models.UniqueConstraint(fields=["league", "season", "player"], name="one_season_entry_a_player"),
            models.CheckConstraint(condition=Q(status__in=["entered", "withdrawn"]), name="season_entry_status"),
        )

    def __str__(self) -> str:
        return f"{self.number}"

    @property
    def survivor(self) -> Player:
        """Return the player for whom the entry counts."""
        return self.player.merged_into or self.player


class SeasonPart(models.Model):
    """What a competition is in a season: a division, an event of a series, or a group of a stage."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    season = LeagueKey(Season, on_delete=models.CASCADE, db_index=False, related_name="parts")
    competition = LeagueKey(Competition, on_delete=models.CASCADE, db_index=False, related_name="season_parts")
    level = models.PositiveSmallIntegerField(null=True, blank=True)
    letter = models.CharField(max_length=1, blank=True, help_text="Of a parallel division, or of a group of a stage.")
    stage = models.CharField(max_length=40, blank=True, help_text="The key of a stage of the rule.")
    event = models.PositiveSmallIntegerField(null=True, blank=True, help_text="The number of an event of the series.")

    class Meta:
        ordering = ("season", "level", "letter", "event", "pk")
        constraints = (
            models.UniqueConstraint(fields=["league", "competition"], name="one_season_a_competition"),
            models.UniqueConstraint(
                fields=["league", "season", "event"],
                condition=Q(event__isnull=False),
                name="one_competition_an_event",
            ),
        )

    def __str__(self) -> str:
        return f"{self.season}: {self.competition}"


class SeasonEdition(PublishedDocument):
    """An edition of the final standings of a season."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    season = LeagueKey(Season, on_delete=models.CASCADE, db_index=False, related_name="editions")

    class Meta:
        ordering = ("season", "number")
        constraints = (
            models.UniqueConstraint(fields=["league", "season", "number"], name="one_season_edition_a_number"),
        )

    def __str__(self) -> str:
        return f"{self.season}, {self.number}"
