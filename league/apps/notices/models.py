"""Notices of a league, sent once each to members by mail and to chats; their mails, and what members chose."""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy, pgettext_lazy

from league.models.leagues import League, LeagueKey

#: Marks the subject of a decision that is no longer due.
DECIDED_MARK = "#"
#: As stored in the database.
KINDS = [
    "notice.evening", "notice.period_closed", "notice.decision_due", "notice.import_failed", "notice.round_published",
    "notice.deadline_near", "notice.final_standings",
]  # fmt: skip


class NoticeQuerySet(models.QuerySet["Notice"]):
    """Conditions on notices."""

    def with_facts(self) -> "NoticeQuerySet":
        """Return those whose text is still stored."""
        return self.filter(facts__isnull=False)

    def undecided(self) -> "NoticeQuerySet":
        """Return those of decisions that were still due when last looked at."""
        return self.filter(kind=Notice.Kind.DECISION_DUE).exclude(subject__contains=DECIDED_MARK)


class Notice(models.Model):
    """Something that happened in a league. The row records that there was a notice of it, sent or not.

    ``facts`` are written out in a language when the notice is sent. Null: it was sent together with another notice, or
    its text was deleted.
    """

    class Kind(models.TextChoices):
        """The kinds of notices, as webhooks name them."""

        EVENING = "notice.evening", gettext_lazy("Games of the day")
        PERIOD_CLOSED = "notice.period_closed", gettext_lazy("Closed months")
        DECISION_DUE = "notice.decision_due", gettext_lazy("Decisions due")
        IMPORT_FAILED = "notice.import_failed", gettext_lazy("Failed imports")
        ROUND_PUBLISHED = "notice.round_published", gettext_lazy("Pairings")
        DEADLINE_NEAR = "notice.deadline_near", gettext_lazy("Deadlines of games")
        FINAL_STANDINGS = "notice.final_standings", gettext_lazy("Final standings")

    # An index of its own would only repeat that of the numbers.
    league = models.ForeignKey(League, on_delete=models.CASCADE, db_index=False, related_name="notices")
    number = models.PositiveBigIntegerField(help_text="From 1 in the league; where chats go on.")
    kind = models.CharField(max_length=24, choices=Kind.choices)
    subject = models.CharField(max_length=120, help_text="What it is about: of a kind each subject is told once.")
    at = models.DateTimeField(help_text="When it was found.")
    facts = models.JSONField(null=True, blank=True)

    objects = NoticeQuerySet.as_manager()

    class Meta:
        db_table = "league_notice"
        ordering = ("league", "-number")
        constraints = (
            models.UniqueConstraint(fields=["league", "number"], name="one_notice_a_number"),
            models.UniqueConstraint(fields=["league", "kind", "subject"], name="one_notice_a_subject"),
            models.CheckConstraint(
                condition=models.Q(kind__in=KINDS),
                name="notice_kind",
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"


class MailQuerySet(models.QuerySet["NoticeMail"]):
    """Conditions on mails."""

    def due(self, now: datetime) -> "MailQuerySet":
        """Return the waiting ones whose next attempt is not in the future."""
        return self.filter(state=NoticeMail.State.WAITING, next_try_at__lte=now)


class NoticeMail(models.Model):
    """A mail with a notice to a user; created together with the notice, so that none is lost."""

    class State(models.TextChoices):
        """Whether it was sent."""

        WAITING = "waiting", pgettext_lazy("state of a mail", "Waiting")
        SENT = "sent", pgettext_lazy("state of a mail", "Sent")
        FAILED = "failed", pgettext_lazy("state of a mail", "Failed")
        UNWANTED = "unwanted", pgettext_lazy("state of a mail", "Not wanted")

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_index=False, related_name="+")
    notice = LeagueKey(Notice, on_delete=models.CASCADE, related_name="mails")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_try_at = models.DateTimeField(help_text="Not before that; while somebody sends it, when their claim ends.")
    ended_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=300, blank=True, help_text="Why the last attempt failed.")

    objects = MailQuerySet.as_manager()

    class Meta:
        db_table = "league_noticemail"
        ordering = ("-pk",)
        indexes = (
            models.Index(fields=["next_try_at"], condition=models.Q(state="waiting"), name="notice_mails_that_wait"),
        )
        constraints = (
            models.UniqueConstraint(fields=["league", "notice", "user"], name="one_mail_a_notice"),
            models.CheckConstraint(
                condition=models.Q(state__in=["waiting", "sent", "failed", "unwanted"]), name="notice_mail_state"
            ),
        )

    def __str__(self) -> str:
        return f"{self.notice}: {self.state}"


class NoticeChoice(models.Model):
    """Whether a user wants a kind of notices of a league by mail; without a row the default of the kind holds."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=24, choices=Notice.Kind.choices)
    wanted = models.BooleanField()

    class Meta:
        db_table = "league_noticechoice"
        ordering = ("league", "user", "kind")
        constraints = (models.UniqueConstraint(fields=["league", "user", "kind"], name="one_choice_a_kind"),)

    def __str__(self) -> str:
        return f"{self.kind}: {'yes' if self.wanted else 'no'}"
