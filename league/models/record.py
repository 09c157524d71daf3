"""Records of the site: tokens, editions, decisions, logs and jobs."""

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, pgettext_lazy

from league.core.log_tables import LogTable
from league.core.records import Record
from league.core.text.stored_messages import StoredMessage, phrase
from league.models.ladders import Ladder
from league.models.leagues import League, LeagueKey
from league.models.recorded import MAX_REASON_LENGTH


class Token(models.Model):
    """A token for the API. The token is shown once; only its SHA-256 is stored."""

    class Scope(models.TextChoices):
        """What a token may do; each scope includes the ones before it."""

        READ = "read", pgettext_lazy("scope of a token", "Read")
        RECORD = "record", pgettext_lazy("scope of a token", "Record")
        ORGANISE = "organise", pgettext_lazy("scope of a token", "Organise")

    name = models.CharField(max_length=100, unique=True)
    # Without a maker it was created at the command line and belongs to the site: only its scope limits it. It is
    # deleted with its maker; otherwise it would become the site's.
    maker = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, editable=False, on_delete=models.CASCADE, related_name="tokens"
    )
    prefix = models.CharField(max_length=12, unique=True, editable=False)
    digest = models.CharField(max_length=64, editable=False)
    scope = models.CharField(max_length=8, choices=Scope.choices)
    leagues = models.ManyToManyField(League, blank=True, help_text=gettext_lazy("Only these leagues. None: all."))
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
        return self.name


class Edition(models.Model):
    """An immutable publication of a closed period. The database rejects updates and deletions."""

    league = models.ForeignKey(League, on_delete=models.PROTECT, db_index=False, related_name="+")
    ladder = LeagueKey(Ladder, on_delete=models.PROTECT, related_name="editions")
    key = models.CharField(max_length=24, help_text="The period, such as 2024-03.")
    number = models.PositiveIntegerField()
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    due_at = models.DateTimeField(help_text="When the period was to close.")
    published_at = models.DateTimeField()
    published_by = models.CharField(max_length=200, blank=True)
    reason = models.CharField(max_length=MAX_REASON_LENGTH, blank=True)
    log_position = models.PositiveBigIntegerField(help_text="The position of its own entry in the league's log.")
    winners = models.JSONField(default=list)
    document = models.TextField(help_text="Canonical JSON (RFC 8785).")
    sha256 = models.CharField(max_length=64, help_text="Of the document in UTF-8.")
    standings_sha256 = models.CharField(max_length=64, help_text="Of the ranking alone: tells whether it changed.")
    # Erased persons are replaced by numbers in the document; ``sha256`` stays that of the published one.
    redacted_sha256 = models.CharField(
        max_length=64, default="", help_text="Of the document since it was redacted; empty: it was not."
    )

    class Meta:
        ordering = ("ladder", "-starts_at", "-number")
        constraints = (
            models.UniqueConstraint(fields=["league", "ladder", "key", "number"], name="one_edition_a_number"),
            models.CheckConstraint(condition=models.Q(number__gte=1), name="editions_begin_at_one"),
        )

    def __str__(self) -> str:
        return _("{period}, edition {number}").format(period=self.key, number=self.number)


EDITION_RECORD = Record(
    Edition,
    "ladder=ladder.slug key number starts_at ends_at due_at published_at published_by reason log_position winners "
    "document sha256 standings_sha256 redacted_sha256",
    unlogged={
        **dict.fromkeys(["starts_at", "ends_at", "winners", "standings_sha256"], "the document has them"),
        "document": "its SHA-256 is logged",
        "due_at": "neither the document nor its entry tells when a period was to close",
    },
)
EDITION_LOG = LogTable(
    EDITION_RECORD,
    "editions",
    kinds=["edition.published"],
    key="ladder period edition",
    payload="ladder period=key edition=number reason sha256",
    stated="at=published_at by=published_by log_position",
    name=lambda slug, key, number: phrase("Edition {number} of {ladder} {key}", number=number, ladder=slug, key=key),
    counted=phrase("in editions, compared with the log"),
)
REDACTION_LOG = LogTable(
    EDITION_RECORD,
    "redacted editions",
    kinds=["edition.redacted"],
    key="ladder period edition",
    payload="ladder period=key edition=number sha256=redacted_sha256",
    none={"redacted_sha256": ""},
    name=lambda slug, key, number: phrase(
        "Redacted edition {number} of {ladder} {key}", number=number, ladder=slug, key=key
    ),
    under="editions",
)


class Decision(models.Model):
    """An organiser's decision about a closed period: reopen it, or carry a change (the edition remains)."""

    class Kind(models.TextChoices):
        """The kinds of decisions."""

        REOPEN = "reopen", pgettext_lazy("a decision", "Reopen")
        CARRY = "carry", pgettext_lazy("a decision", "Keep")

    league = models.ForeignKey(League, on_delete=models.PROTECT, related_name="+")
    ladder = LeagueKey(Ladder, on_delete=models.PROTECT, related_name="decisions")
    key = models.CharField(max_length=24)
    edition = models.PositiveIntegerField(help_text="The edition that stood then.")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    at = models.DateTimeField()
    by = models.CharField(max_length=200, blank=True)
    reason = models.CharField(max_length=MAX_REASON_LENGTH, blank=True)
    digest = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the ranking that was carried.")

    class Meta:
        ordering = ("ladder", "key", "at")
        constraints = (models.CheckConstraint(condition=models.Q(kind__in=["reopen", "carry"]), name="decision_kind"),)

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


def _format_decision_name(ladder: str, period: str, edition: int, kind: str, decided_at: str) -> StoredMessage:
    values = {"kind": kind, "at": decided_at, "edition": edition, "ladder": ladder, "period": period}
    return phrase("The decision ({kind}) of {at} about edition {edition} of {ladder} {period}", **values)


DECISION_RECORD = Record(Decision, "ladder=ladder.slug key edition kind at by reason digest", order_by="at pk")
DECISION_LOG = LogTable(
    DECISION_RECORD,
    "decisions",
    kinds=["period.reopened", "period.carried"],
    key="ladder period edition decision at",
    renamed="period=key",
    stated="decision=kind at by",
    omit={"digest": ""},
    name=_format_decision_name,
    counted=phrase("in decisions, compared with the log"),
)


class LogEntry(models.Model):
    """One change of a league's data. The database rejects updates and deletions.

    ``sha256`` is the hash of the entry and the previous hash, serialized by ``league.core.log.chain.serialize_entry``.
    """

    class Kind(models.TextChoices):
        """The kinds of changes of core facts; apps declare theirs (``league.core.log.kinds``)."""

        LEAGUE_CREATED = "league.created"
        LEAGUE_CHANGED = "league.changed"
        LEAGUE_RESTORED = "league.restored"
        RULE_ADOPTED = "rule.adopted"
        RULE_WITHDRAWN = "rule.withdrawn"
        START_SET = "initial_rating.set"
        PLAYER_CREATED = "player.created"
        PLAYER_CHANGED = "player.changed"
        PLAYER_MERGED = "player.merged"
        PLAYER_UNMERGED = "player.unmerged"
        GAME_RECORDED = "game.recorded"
        GAME_CORRECTED = "game.corrected"
        GAME_VOIDED = "game.voided"
        GAME_RESTORED = "game.restored"
        GAMES_MOVED = "games.moved"
        ADJUSTMENT_MADE = "adjustment.made"
        ADJUSTMENT_VOIDED = "adjustment.voided"
        FIELD_DECLARED = "field.declared"
        FIELD_CHANGED = "field.changed"
        CONTEXT_CREATED = "context.created"
        CONTEXT_CHANGED = "context.changed"
        CONTEXT_REMOVED = "context.removed"
        PLAYER_FIELDS_SET = "player.fields_set"
        LADDER_CREATED = "ladder.created"
        LADDER_CHANGED = "ladder.changed"
        LADDER_RANKED = "ladder.rule_adopted"
        EDITION_PUBLISHED = "edition.published"
        PERIOD_REOPENED = "period.reopened"
        PERIOD_CARRIED = "period.carried"
        HEAD_PUBLISHED = "head.published"
        TEXT_ERASED = "text.erased"
        PLAYER_ERASED = "player.erased"
        EDITION_REDACTED = "edition.redacted"
        CLOCK_ACCEPTED = "clock.accepted"

    league = models.ForeignKey(League, on_delete=models.PROTECT, db_index=False, related_name="log")
    position = models.PositiveBigIntegerField(help_text="Gapless in the league, from 1.")
    at = models.DateTimeField()
    by = models.CharField(max_length=200, blank=True)
    kind = models.CharField(max_length=40)
    payload = models.TextField(help_text="What was done, sealed: canonical JSON (RFC 8785).")
    sha256 = models.CharField(max_length=64, help_text="Of the entry and of the hash before it.")

    class Meta:
        ordering = ("league", "-position")
        verbose_name_plural = gettext_lazy("log")
        constraints = (
            models.UniqueConstraint(fields=["league", "position"], name="one_entry_a_position"),
            models.CheckConstraint(condition=models.Q(position__gte=1), name="positions_begin_at_one"),
        )

    def __str__(self) -> str:
        return f"{self.position}. {self.kind}"


class LogText(models.Model):
    """A free text of a log entry, which itself has only its salted hash (``league.core.log.chain``)."""

    league = models.ForeignKey(League, on_delete=models.PROTECT, db_index=False, related_name="log_texts")
    position = models.PositiveBigIntegerField(help_text="Of the entry.")
    sha256 = models.CharField(max_length=64, help_text="What the entry says of it.")
    salt = models.CharField(max_length=32, blank=True, help_text="Empty: it was erased with the text.")
    text = models.TextField(blank=True)
    erased_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("league", "position", "pk")
        constraints = (
            models.UniqueConstraint(fields=["league", "sha256"], name="one_text_a_seal"),
            models.CheckConstraint(condition=Q(erased_at=None) | Q(salt="", text=""), name="erased_texts_are_gone"),
        )
        indexes = (models.Index(fields=["league", "position"], name="texts_by_position"),)

    def __str__(self) -> str:
        return self.text


class Head(models.Model):
    """A signed and published head of a public league's log. The database rejects updates and deletions."""

    # A separate index would duplicate the one on the positions.
    league = models.ForeignKey(League, on_delete=models.PROTECT, db_index=False, related_name="heads")
    position = models.PositiveBigIntegerField(help_text="Of the last entry of the log then.")
    sha256 = models.CharField(max_length=64, help_text="Of that entry.")
    at = models.DateTimeField()
    key = models.CharField(max_length=43, help_text="The public key (Ed25519, base64url) by which the signature holds.")
    signature = models.CharField(max_length=86, help_text="Ed25519, base64url, of what heads.signed_text returns.")

    class Meta:
        ordering = ("league", "-position")
        constraints = (
            models.UniqueConstraint(fields=["league", "position"], name="one_head_a_position"),
            models.CheckConstraint(condition=models.Q(position__gte=1), name="heads_begin_at_one"),
        )

    def __str__(self) -> str:
        return _("head {position}").format(position=self.position)


HEAD_LOG = LogTable(
    Record(Head, "at position sha256 key signature"),
    "heads",
    kinds=["head.published"],
    key="position",
    name=lambda position: phrase("The signed log head at {position}", position=position),
    counted=phrase("in signed log heads, compared with the log"),
    of_site=True,
)


#: Maximum attempts at a job whose worker dies.
ATTEMPTS = 5
#: Stored messages for failures of the server.
GAVE_UP = gettext_noop("Tried {attempts} times, and the worker stopped each time; see its log.")
BROKEN = gettext_noop("This job failed on the server; see its log.")


class Job(models.Model):
    """A background task for a league, with its progress and result."""

    class Kind(models.TextChoices):
        """The kinds of jobs, those of capabilities too."""

        REPLAY = "replay", pgettext_lazy("kind of a job", "Replay")
        VERIFY = "verify", pgettext_lazy("kind of a job", "Check")
        IMPORT = "import", pgettext_lazy("kind of a job", "Import")
        COMPARE = "compare", pgettext_lazy("kind of a job", "Experiment")
        SECOND = "second", pgettext_lazy("kind of a job", "Second board")
        DRY_RUN = "dry_run", pgettext_lazy("kind of a job", "Dry run")
        PAIR = "pair", pgettext_lazy("kind of a job", "Pairing")

    class State(models.TextChoices):
        """The state of a job. The sweep restarts a running job whose worker died."""

        WAITING = "waiting", pgettext_lazy("state of a job", "Waiting")
        RUNNING = "running", pgettext_lazy("state of a job", "Running")
        DONE = "done", pgettext_lazy("state of a job", "Done")
        FAILED = "failed", pgettext_lazy("state of a job", "Failed")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    phase = models.CharField(max_length=60, blank=True, help_text="What it is doing now.")
    done = models.PositiveBigIntegerField(default=0, help_text="Steps that are done.")
    total = models.PositiveBigIntegerField(default=0, help_text="Steps of the whole job; 0: not known yet.")
    arguments = models.JSONField(default=dict, blank=True)
    result = models.JSONField(null=True, blank=True)
    problem = models.JSONField(null=True, blank=True, help_text="As an answer of the API would tell it.")
    attempts = models.PositiveSmallIntegerField(default=0)
    asked_by = models.CharField(max_length=200, blank=True)
    cancelled_by = models.CharField(max_length=200, blank=True, help_text="Who had it stop; empty: nobody.")
    asked_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    beat_at = models.DateTimeField(null=True, blank=True, help_text="The last sign of life of its worker.")
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-asked_at",)
        indexes = (models.Index(fields=["league", "kind", "-asked_at"], name="job_order"),)
        constraints = (
            models.CheckConstraint(
                condition=models.Q(kind__in=["replay", "verify", "import", "compare", "second", "dry_run", "pair"]),
                name="kinds_of_jobs",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=["waiting", "running", "done", "failed"]), name="job_state"
            ),
            models.UniqueConstraint(
                fields=["league", "kind"],
                condition=models.Q(state__in=["waiting", "running"], kind__in=["replay", "verify"]),
                name="one_replay_at_a_time",
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind}: {self.state}"

    @property
    def failure(self) -> str:
        """Return why it failed: general messages in the reader's language, others as the worker stored them."""
        problem: dict[str, Any] = self.problem or {}
        if problem.get("code") == "cancelled" and self.cancelled_by:
            return _("Cancelled by {by}. Nothing was saved.").format(by=self.cancelled_by)
        ours = {"gave_up": GAVE_UP, "error": BROKEN}.get(problem.get("code", ""))
        detail: str = problem.get("detail", "")
        return detail if ours is None else _(ours).format(attempts=ATTEMPTS)


class JobPart(models.Model):
    """A compressed part of a job's input file; deleted when the job ends."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_index=False, related_name="+")
    job = LeagueKey(Job, on_delete=models.CASCADE, related_name="parts")
    number = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        ordering = ("job", "number")
        constraints = (models.UniqueConstraint(fields=["league", "job", "number"], name="one_part_a_number"),)

    def __str__(self) -> str:
        return f"part {self.number}"


class Sign(models.Model):
    """The last sign of life of a process other than the web processes."""

    name = models.CharField(primary_key=True, max_length=20)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name
