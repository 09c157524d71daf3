"""Documents of competitions: editions of final standings, and the files that competitions were imported from."""

from django.db import models

from league.apps.competitions.models.competitions import Competition
from league.models.leagues import League, LeagueKey
from league.models.recorded import MAX_REASON_LENGTH


class PublishedDocument(models.Model):
    """An edition: a document as it was published, with its hash. A correction may add another."""

    number = models.PositiveSmallIntegerField()
    document = models.TextField(help_text="Canonical JSON (RFC 8785).")
    sha256 = models.CharField(max_length=64, help_text="Of the document in UTF-8.")
    published_at = models.DateTimeField()
    published_by = models.CharField(max_length=200, blank=True)
    reason = models.CharField(max_length=MAX_REASON_LENGTH, blank=True)

    class Meta:
        abstract = True


class FinalStandings(PublishedDocument):
    """An edition of the standings of a finished competition."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    competition = LeagueKey(Competition, on_delete=models.CASCADE, db_index=False, related_name="editions")

    class Meta:
        ordering = ("competition", "number")
        constraints = (
            models.UniqueConstraint(fields=["league", "competition", "number"], name="one_final_edition_a_number"),
        )

    def __str__(self) -> str:
        return f"{self.competition}, {self.number}"


class SourceFile(models.Model):
    """The file that a competition was imported from: its event, and a tournament report, whose lines exports keep.

    It names people: erasing one of them deletes it. ``title`` and ``place`` are folded.
    """

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    competition = LeagueKey(Competition, on_delete=models.CASCADE, db_index=False, related_name="+")
    data = models.BinaryField(default=b"", help_text="Of a tournament report.")
    encoding = models.CharField(max_length=20, blank=True)
    title = models.CharField(max_length=120, blank=True)
    place = models.CharField(max_length=200, blank=True)
    first_day = models.DateField(null=True, blank=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["league", "competition"], name="one_file_a_competition"),)

    def __str__(self) -> str:
        return f"{self.competition}"
