"""Data for answering requests: a counter of players' edits, idempotency keys, and the shared cache."""

from django.db import models


class Edits(models.Model):
    """A counter of changes to players' handles, names and inactivity, which boards show; one row, updated by triggers.

    The triggers count every change, whatever its source, so that cached boards are always invalidated.
    """

    name = models.CharField(max_length=20, primary_key=True)
    count = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.name}: {self.count}"


class RequestKey(models.Model):
    """A request that is executed at most once, with its answer; written in the same transaction as its changes.

    A committed row always has its answer, or what the answer is about: if the request failed, the row was rolled back.
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
    """An entry of the cache shared by all processes: sign-in attempts and used codes."""

    key = models.CharField(max_length=64, primary_key=True, help_text="SHA-256 of the key.")
    value = models.TextField(help_text="JSON.")
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.key
