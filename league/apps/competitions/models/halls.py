"""Halls of tables, and the evening that is played in one. When and where each fixture is played is the fixture's."""

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy

from league.models.leagues import League

#: The most rooms and tables of a hall, people of a table, and minutes of a match or of a rest.
MAX_ROOMS, MAX_TABLES, MAX_SEATS_OF_TABLE, MAX_MINUTES = 50, 500, 99, 720


class Hall(models.Model):
    """A hall of a league. ``rooms``: title, first and last table, seats of each, and the competitions they are for.

    The evening: from ``starts_at`` until ``ends_at``, ``minutes`` a match, ``rest`` minutes between two of a person.
    ``parts``: its competitions, each with a round, or all that is open. ``planned``: the fixtures that got a place.
    """

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_index=False, related_name="halls")
    slug = models.SlugField(max_length=50, validators=[RegexValidator(r"^[a-z0-9][a-z0-9_-]*\Z")])
    title = models.CharField(max_length=80)
    rooms = models.JSONField(help_text="Title, first and last table, seats of a table, and competitions.")
    starts_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField(null=True, blank=True)
    minutes = models.PositiveSmallIntegerField(
        default=60,
        validators=[MinValueValidator(1), MaxValueValidator(MAX_MINUTES)],
        help_text=gettext_lazy("How long a match takes, with the change of players."),
    )
    rest = models.PositiveSmallIntegerField(
        default=0,
        validators=[MinValueValidator(0), MaxValueValidator(MAX_MINUTES)],
        help_text=gettext_lazy("Minutes that everyone has between two matches."),
    )
    parts = models.JSONField(default=list, blank=True, help_text="Competition and round; null: all that is open.")
    planned = models.JSONField(default=list, blank=True, editable=False, help_text="The fixtures that got a place.")
    created_at = models.DateTimeField(editable=False)
    created_by = models.CharField(max_length=200, blank=True, editable=False)

    class Meta:
        ordering = ("league", "slug")
        constraints = (models.UniqueConstraint(fields=["league", "slug"], name="one_hall_a_slug"),)

    def __str__(self) -> str:
        return self.title


#: The values of a hall, in the order of logs and exports.
HALL_VALUES = tuple(field.name for field in Hall._meta.concrete_fields if field.name not in ("id", "league", "slug"))
#: Those of the evening.
EVENING = ("starts_at", "ends_at", "minutes", "rest", "parts")
