"""Reports: sheets that players enter through a private link, without an account. Recording one creates a game.

A league's log records links and reports without names: it has a seal of the row (``league.core.log.services.entries``),
computed with the row's salt, so that readers of the row can check it against the log.
"""

import re
import uuid
from datetime import datetime, timedelta

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, pgettext_lazy

from league.models.facts import Game, Player
from league.models.leagues import League, LeagueKey
from league.models.recorded import MAX_REASON_LENGTH

#: Maximum lengths of a table's name, and of why a report is disputed or refused.
NAME_LENGTH = 80


class LinkQuerySet(models.QuerySet["ReportLink"]):
    """Conditions on links."""

    def valid(self, now: datetime) -> "LinkQuerySet":
        """Return those that are neither revoked nor expired."""
        return self.filter(Q(expires_at__isnull=True) | Q(expires_at__gt=now), revoked_at=None)


class ReportLink(models.Model):
    """A private link through which a player, or (without one) anyone at a table, reports games.

    Only the hash of its secret is stored.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="report_links")
    player = models.ForeignKey(Player, null=True, on_delete=models.PROTECT, related_name="report_links")
    name = models.CharField(
        max_length=NAME_LENGTH, blank=True, help_text="What the table is called; empty for a player's."
    )
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the secret in the link.")
    salt = models.CharField(max_length=43, help_text="What the seal in the log is made with.")
    made_at = models.DateTimeField()
    made_by = models.CharField(max_length=200)
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    revoked_by = models.CharField(max_length=200, blank=True)

    objects = LinkQuerySet.as_manager()

    class Meta:
        db_table = "league_reportlink"
        ordering = ("league", "made_at")
        constraints = (
            models.CheckConstraint(
                condition=Q(player__isnull=True) & ~Q(name="") | Q(player__isnull=False, name=""),
                name="a_link_is_for_a_player_or_a_table",
            ),
        )

    def __str__(self) -> str:
        return self.name or str(self.player)


#: Reasons that the site sets itself, stored in English; displayed in the language of the reader (``displayed_reason``).
TWIN_REASON = gettext_noop("Game {number} at about that time has the same players and scores.")
AMENDED_REASON = gettext_noop("Recorded with changes.")
SETTLED_REASON = "Fixture {fixture} has its result already: game {game}."
SETTLED_PATTERN = re.compile(
    re.escape(SETTLED_REASON)
    .replace(re.escape("{fixture}"), r"(?P<fixture>\d+)")
    .replace(re.escape("{game}"), r"(?P<game>\d+)")
)
TWIN_PATTERN = re.compile(re.escape(TWIN_REASON).replace(re.escape("{number}"), r"(\d+)"))
#: How long decided reports are shown to their players.
DISPLAY_PERIOD = timedelta(days=14)
#: As stored in the database.
STATES = ["waiting", "overdue", "twin", "disputed", "confirmed", "refused", "withdrawn", "lapsed"]


class ReportQuerySet(models.QuerySet["Report"]):
    """Conditions on reports."""

    def open(self) -> "ReportQuerySet":
        """Return those that are neither recorded nor dropped."""
        return self.filter(state__in=Report.OPEN)

    def open_or_settled(self) -> "ReportQuerySet":
        """Return those that are open, and those that another game of their fixture settled."""
        return self.filter(Q(state__in=Report.OPEN) | ~Q(state_before=""))

    def to_decide(self) -> "ReportQuerySet":
        """Return those that wait for an organiser."""
        return self.filter(state__in=Report.TO_DECIDE)

    def unconfirmed(self, now: datetime) -> "ReportQuerySet":
        """Return those that wait for a player whose time has run out."""
        return self.filter(state=Report.State.WAITING, due_at__lte=now)

    def decided_lately(self, now: datetime) -> "ReportQuerySet":
        """Return those that are not open, as long as they are shown."""
        return self.filter(entered_at__gt=now - DISPLAY_PERIOD).exclude(state__in=Report.OPEN)

    def with_sender(self) -> "ReportQuerySet":
        """Load the senders, after merges, and the games."""
        return self.select_related("entered_by__merged_into", "game")


class Report(models.Model):
    """A sheet that a player entered, with its state."""

    class State(models.TextChoices):
        """The state of a report; the first four are open."""

        WAITING = "waiting", gettext_lazy("Waiting for another player at the table")
        OVERDUE = "overdue", gettext_lazy("Waiting for the organiser: not confirmed in time")
        TWIN = "twin", gettext_lazy("Waiting for the organiser: the same game is already recorded")
        DISPUTED = "disputed", pgettext_lazy("state of a report", "Disputed")
        CONFIRMED = "confirmed", pgettext_lazy("state of a report", "Recorded")
        REFUSED = "refused", pgettext_lazy("state of a report", "Rejected")
        WITHDRAWN = "withdrawn", gettext_lazy("Withdrawn by the sender")
        LAPSED = "lapsed", gettext_lazy("Expired: not confirmed in time")

    #: States that wait for an organiser, and all open states.
    TO_DECIDE = (State.OVERDUE, State.TWIN, State.DISPUTED)
    OPEN = (State.WAITING, *TO_DECIDE)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    league = models.ForeignKey(League, on_delete=models.CASCADE, db_index=False, related_name="reports")
    state = models.CharField(max_length=9, choices=State.choices, default=State.WAITING)
    sheet = models.JSONField(help_text="Results by handles, in seat order, with details and note.")
    played_at = models.DateTimeField()
    key = models.CharField(max_length=64, help_text="Of the form: a sheet that is sent twice is one report.")
    # None: the report was restored from an export, which has no links.
    link = LeagueKey(ReportLink, null=True, on_delete=models.PROTECT, related_name="reports")
    entered_by = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="+")
    entered_at = models.DateTimeField()
    due_at = models.DateTimeField(help_text="When the time to confirm it runs out.")
    answers = models.JSONField(default=list, help_text="What others at the table said: who, when, right or not, why.")
    decided_at = models.DateTimeField(null=True)
    decided_by = models.CharField(max_length=200, blank=True)
    reason = models.CharField(max_length=MAX_REASON_LENGTH, blank=True)
    game = LeagueKey(Game, null=True, on_delete=models.PROTECT, related_name="reports")
    salt = models.CharField(max_length=43, help_text="What the seals in the log are made with.")
    state_before = models.CharField(
        max_length=9,
        blank=True,
        default="",
        db_default="",
        help_text="The state in which another game of its fixture settled it; it returns if that game is voided.",
    )

    objects = ReportQuerySet.as_manager()

    class Meta:
        db_table = "league_report"
        ordering = ("league", "-entered_at")
        indexes = (
            models.Index(fields=["league", "-entered_at"], name="reports_of_a_league"),
            models.Index(fields=["due_at"], condition=Q(state="waiting"), name="reports_that_lapse"),
        )
        constraints = (
            models.UniqueConstraint(fields=["league", "key"], name="one_report_a_key"),
            models.UniqueConstraint(
                fields=["league", "game"], condition=Q(game__isnull=False), name="one_report_a_game"
            ),
            models.CheckConstraint(
                condition=Q(state__in=STATES),
                name="report_state",
            ),
            models.CheckConstraint(
                condition=Q(state="confirmed", game__isnull=False) | (~Q(state="confirmed") & Q(game__isnull=True)),
                name="only_confirmed_reports_are_games",
            ),
        )

    def __str__(self) -> str:
        return _("{state}, reported {at:%Y-%m-%d %H:%M}").format(state=self.state, at=self.entered_at)

    @property
    def displayed_reason(self) -> str:
        """Return the reason for display, with the site's own reasons translated."""
        if self.reason == AMENDED_REASON:
            return _(AMENDED_REASON)
        settled = SETTLED_PATTERN.fullmatch(self.reason) if self.state == self.State.REFUSED else None
        if settled is not None:
            # Players know no numbers of fixtures.
            return _("Game {number} has its result already.").format(number=settled["game"])
        twin = TWIN_PATTERN.fullmatch(self.reason) if self.state == self.State.TWIN else None
        return self.reason if twin is None else _(TWIN_REASON).format(number=twin[1])
