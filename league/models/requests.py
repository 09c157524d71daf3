"""What answering requests takes beside the league's data: how often players were edited, and keys of requests."""

from django.db import models


class Edits(models.Model):
    """How often what boards show of players (handle, name, who is inactive) was changed: one row, kept by triggers.

    The triggers count whoever changes it, so that nothing that was kept of a board outlives it.
    """

    name = models.CharField(max_length=20, primary_key=True)
    count = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.name}: {self.count}"


class RequestKey(models.Model):
    """A request that is done at most once, and its answer; written in the transaction of the work itself.

    A row that others can see has its answer: where the work failed, the row went with it.
    """

    owner = models.CharField(max_length=40, help_text="Whose key it is: a token or a user.")
    key = models.CharField(max_length=255)
    digest = models.CharField(max_length=64, help_text="SHA-256 of method, address and body.")
    writer = models.UUIDField(help_text="Tells whoever inserted the row from those who came after.")
    status = models.PositiveSmallIntegerField(default=0)
    body = models.TextField(default="")
    headers = models.JSONField(default=dict)
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["owner", "key"], name="one_request_a_key"),)

    def __str__(self) -> str:
        return f"{self.key} of {self.owner}"


class CacheEntry(models.Model):
    """A value of the cache that all processes share: sign-in attempts and codes that were used."""

    key = models.CharField(max_length=64, primary_key=True, help_text="SHA-256 of the key.")
    value = models.TextField(help_text="JSON.")
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.key
