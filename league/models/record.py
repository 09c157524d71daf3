"""Record: what the site keeps about itself."""

from django.db import models

from league.models.facts import League


class Token(models.Model):
    """A key to the API. The text itself is shown once and never stored; its SHA-256 is."""

    class Scope(models.TextChoices):
        """What a token may do; each scope includes the ones before it."""

        READ = "read"
        RECORD = "record"
        ORGANISE = "organise"

    name = models.CharField(max_length=100, unique=True)
    prefix = models.CharField(max_length=12, unique=True, editable=False)
    digest = models.CharField(max_length=64, editable=False)
    scope = models.CharField(max_length=8, choices=Scope.choices)
    leagues = models.ManyToManyField(League, blank=True, help_text="Only these leagues; none: all.")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ("name",)
        constraints = (
            models.CheckConstraint(condition=models.Q(scope__in=["read", "record", "organise"]), name="token_scope"),
        )

    def __str__(self) -> str:
        """Return the name."""
        return self.name
