"""Memberships and invitations of a league."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy, pgettext_lazy

from league.models.leagues import League


class Membership(models.Model):
    """A user's role in a league."""

    class Role(models.TextChoices):
        """What a member may do; each role includes the ones before it."""

        RECORDER = "recorder", pgettext_lazy("role in a league", "Recorder")
        ARBITER = "arbiter", pgettext_lazy("role in a league", "Arbiter")
        ORGANISER = "organiser", pgettext_lazy("role in a league", "Organiser")
        OWNER = "owner", pgettext_lazy("role in a league", "Owner")

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=9, choices=Role.choices)

    class Meta:
        ordering = ("league", "user")
        constraints = (
            models.UniqueConstraint(fields=["league", "user"], name="one_role_a_member"),
            models.CheckConstraint(
                condition=models.Q(role__in=["recorder", "arbiter", "organiser", "owner"]), name="membership_role"
            ),
        )

    def __str__(self) -> str:
        return f"{self.user}: {self.role}"


class Invitation(models.Model):
    """A role in a league for the first user of the link; only the hash of its secret is stored."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=9, choices=Membership.Role.choices)
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the secret in the link.")
    note = models.CharField(
        max_length=120, blank=True, help_text=gettext_lazy("Who the invitation is for, as noted by its author.")
    )
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)
    withdrawn_at = models.DateTimeField(null=True)
    used_at = models.DateTimeField(null=True)
    used_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ("league", "made_at")
        constraints = (
            models.CheckConstraint(
                condition=models.Q(role__in=["recorder", "arbiter", "organiser", "owner"]), name="invitation_role"
            ),
        )

    def __str__(self) -> str:
        return f"{self.role}: {self.note or 'unnamed'}"
