"""Members: who works in a league, and as what."""

from django.conf import settings
from django.db import models

from league.models.facts import League


class Membership(models.Model):
    """A user's role in a league."""

    class Role(models.TextChoices):
        """What a member may do; each role includes the ones before it."""

        RECORDER = "recorder"
        ORGANISER = "organiser"
        OWNER = "owner"

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=9, choices=Role.choices)

    class Meta:
        ordering = ("league", "user")
        constraints = (
            models.UniqueConstraint(fields=["league", "user"], name="one_role_a_member"),
            models.CheckConstraint(
                condition=models.Q(role__in=["recorder", "organiser", "owner"]), name="membership_role"
            ),
        )

    def __str__(self) -> str:
        """Return the user and the role."""
        return f"{self.user}: {self.role}"
