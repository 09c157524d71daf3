"""Rating lists as they were published. They are no facts of a league: no log, no export; the next list replaces one.

A replaced list stays as long as a competition of up to a month may have begun while it was in use.
"""

from django.db import models
from django.db.models import Q

from league.apps.rating_lists.reading.listed_people import MAX_CLUB_LENGTH, MAX_NUMBER_LENGTH, MAX_SHORT
from league.core.players.external_ids import MAX_PROVIDER_LENGTH
from league.core.text.names import NAME_LENGTH

#: Bytes of a key that are compared.
MAX_KEY_BYTES = 64


class RatingList(models.Model):
    """A list of a provider, such as FIDE's of November 2026."""

    class State(models.TextChoices):
        """The state of a list."""

        LOADING = "loading", "Loading"
        CURRENT = "current", "In use"
        REPLACED = "replaced", "Replaced"

    provider = models.CharField(max_length=MAX_PROVIDER_LENGTH)
    title = models.CharField(max_length=80)
    federation = models.CharField(max_length=3, blank=True, help_text="Whose national list it is; empty: of no one.")
    dated = models.DateField()
    state = models.CharField(max_length=8, choices=State.choices, default=State.LOADING)
    people = models.PositiveIntegerField(default=0)
    loaded_at = models.DateTimeField()
    loaded_by = models.CharField(max_length=200, blank=True)
    address = models.CharField(max_length=500, blank=True, help_text="From where it is updated; empty: from a file.")
    columns = models.JSONField(default=dict, blank=True, help_text="Of CSV: meaning and title of the column.")

    class Meta:
        ordering = ("provider", "-dated", "pk")
        constraints = (
            models.UniqueConstraint(
                fields=["provider"], condition=Q(state="current"), name="one_current_list_a_provider"
            ),
        )

    def __str__(self) -> str:
        return f"{self.provider} {self.dated}"


class ListedRow(models.Model):
    """A person of a list. Ratings are 0 if there is none, as in the lists."""

    rating_list = models.ForeignKey(RatingList, on_delete=models.CASCADE, db_index=False, related_name="rows")
    number = models.CharField(max_length=MAX_NUMBER_LENGTH)
    name = models.CharField(max_length=NAME_LENGTH, help_text="As listed: the surname first.")
    # As bytes, which both databases compare alike, so that the index finds what a name begins with.
    name_key = models.BinaryField(max_length=MAX_KEY_BYTES)
    federation = models.CharField(max_length=MAX_SHORT, blank=True)
    sex = models.CharField(max_length=1, blank=True)
    title = models.CharField(max_length=MAX_SHORT, blank=True)
    born = models.PositiveSmallIntegerField(default=0)
    club = models.CharField(max_length=MAX_CLUB_LENGTH, blank=True)
    is_inactive = models.BooleanField(default=False)
    standard = models.PositiveSmallIntegerField(default=0)
    standard_games = models.PositiveSmallIntegerField(default=0)
    standard_k = models.PositiveSmallIntegerField(default=0)
    rapid = models.PositiveSmallIntegerField(default=0)
    rapid_games = models.PositiveSmallIntegerField(default=0)
    rapid_k = models.PositiveSmallIntegerField(default=0)
    blitz = models.PositiveSmallIntegerField(default=0)
    blitz_games = models.PositiveSmallIntegerField(default=0)
    blitz_k = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ("rating_list", "name", "number")
        constraints = (models.UniqueConstraint(fields=["rating_list", "number"], name="one_listed_person_a_number"),)
        indexes = (models.Index(fields=["rating_list", "name_key"], name="listed_people_by_name"),)

    def __str__(self) -> str:
        return self.name
