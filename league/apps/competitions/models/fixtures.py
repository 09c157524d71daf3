"""Rounds and fixtures of competitions. A fixture that was played has a game of the league."""

from datetime import datetime

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import pgettext_lazy

from league.apps.competitions.models.competitions import MAX_TABLE, Competition, Entry
from league.models.facts import Game
from league.models.leagues import League, LeagueKey


class Round(models.Model):
    """A round of a competition. Only organisers see it until it is published."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    competition = LeagueKey(Competition, on_delete=models.CASCADE, db_index=False, related_name="round_rows")
    number = models.PositiveSmallIntegerField()
    starts_at = models.DateTimeField(null=True, blank=True)
    deadline = models.DateTimeField(null=True, blank=True)
    reasons = models.JSONField(default=list, blank=True, help_text="What a rule forced: entries, text and values.")
    basis = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the rounds that it was paired from.")
    made_at = models.DateTimeField()
    made_by = models.CharField(max_length=200, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("competition", "number")
        constraints = (
            models.UniqueConstraint(fields=["league", "competition", "number"], name="one_round_a_number"),
            models.CheckConstraint(condition=Q(number__gte=1), name="rounds_begin_at_one"),
        )

    def __str__(self) -> str:
        return f"{self.number}"


class FixtureQuerySet(models.QuerySet["Fixture"]):
    """Conditions on fixtures."""

    def playable(self) -> "FixtureQuerySet":
        """Return the games that players can know of: neither cancelled, nor in a round that is not published.

        A board of a match of teams must have both its players.
        """
        published = Q(round=None) | Q(round__published_at__isnull=False)
        empty = FixtureSeat.objects.filter(
            Q(member=None) | Q(member=0), league=OuterRef("league"), fixture=OuterRef("pk")
        )
        return self.filter(published, Q(match=None) | ~Exists(empty), kind=Fixture.Kind.GAME, cancelled_at=None)

    def without_result(self) -> "FixtureQuerySet":
        """Return the fixtures for which no game counts."""
        counting = Game.objects.counting().filter(league=OuterRef("league"), order_key=OuterRef("game__order_key"))
        return self.filter(Q(game=None) | ~Exists(counting))

    def open(self, now: datetime) -> "FixtureQuerySet":
        """Return the games of running competitions that have no result and can get one."""
        running = self.filter(competition__status=Competition.Status.RUNNING).playable().without_result()
        return running.exclude(
            competition__deadline_action__in=Competition.DECIDING_ACTIONS, deadline__lte=now, adjourned=False
        )


class Fixture(models.Model):
    """Entries that meet, or the bye of one. ``number``: 1, 2, 3 … in its league.

    ``game`` is the game that was recorded for it, as a forfeit if it was not played. The one that counts has the same
    order key: itself, a correction or a restoration; if none counts, the fixture has no result.
    A match of teams has no game: each of its boards is a fixture, with the number of the ``match``.
    """

    class Kind(models.TextChoices):
        """What a fixture is."""

        GAME = "game", pgettext_lazy("kind of a fixture", "Game")
        MATCH = "match", pgettext_lazy("kind of a fixture", "Match of teams")
        PAIRING_BYE = "pairing_bye", pgettext_lazy("kind of a fixture", "Bye")
        FULL_BYE = "full_bye", pgettext_lazy("kind of a fixture", "Full-point bye")
        HALF_BYE = "half_bye", pgettext_lazy("kind of a fixture", "Half-point bye")
        ZERO_BYE = "zero_bye", pgettext_lazy("kind of a fixture", "Zero-point bye")

    class Reason(models.TextChoices):
        """Why a fixture was forfeited."""

        NO_SHOW = "no_show", pgettext_lazy("reason of a forfeit", "Did not come")
        LATE = "late", pgettext_lazy("reason of a forfeit", "Came too late")
        ILLNESS = "illness", pgettext_lazy("reason of a forfeit", "Illness")
        RETIRED = "retired", pgettext_lazy("reason of a forfeit", "Retired")
        ARBITER = "by_arbiter", pgettext_lazy("reason of a forfeit", "By decision of the arbiter")
        OTHER = "other", pgettext_lazy("reason of a forfeit", "Other")

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    competition = LeagueKey(Competition, on_delete=models.CASCADE, related_name="fixtures")
    number = models.PositiveIntegerField()
    round = LeagueKey(Round, null=True, blank=True, on_delete=models.CASCADE, related_name="fixtures")
    kind = models.CharField(max_length=11, choices=Kind.choices, default=Kind.GAME)
    table = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(MAX_TABLE)]
    )
    starts_at = models.DateTimeField(null=True, blank=True)
    deadline = models.DateTimeField(null=True, blank=True)
    venue = models.CharField(max_length=200, blank=True)
    game = LeagueKey(Game, null=True, blank=True, on_delete=models.PROTECT, related_name="fixtures")
    forfeit = models.CharField(
        max_length=10, choices=Reason.choices, blank=True, help_text="Why its game is a forfeit."
    )
    adjourned = models.BooleanField(default=False, help_text="Until it ends, a draw for the pairing.")
    reported = models.CharField(max_length=3, blank=True, help_text="Another result in the tournament report alone.")
    cancelled_at = models.DateTimeField(null=True, blank=True)
    match = models.PositiveIntegerField(
        null=True, blank=True, help_text="The number of the match that it is a board of."
    )
    board = models.PositiveSmallIntegerField(null=True, blank=True, help_text="From 1.")
    entered = models.JSONField(
        default=list, blank=True, help_text="Results that were entered and do not count yet: by, at, and the outcome."
    )
    objects = FixtureQuerySet.as_manager()

    class Meta:
        ordering = ("competition", "number")
        constraints = (
            models.UniqueConstraint(fields=["league", "number"], name="one_fixture_a_number"),
            models.UniqueConstraint(
                fields=["league", "game"], condition=Q(game__isnull=False), name="one_fixture_a_game"
            ),
            models.CheckConstraint(
                condition=Q(kind="game") | Q(game__isnull=True, forfeit=""), name="byes_have_no_game"
            ),
        )

    def __str__(self) -> str:
        return f"{self.number}"

    @property
    def expected_at(self) -> datetime | None:
        """When it begins, or its round does, if that is known."""
        return self.starts_at or (self.round.starts_at if self.round else None)

    @property
    def due_at(self) -> datetime | None:
        """When it must be played, or its round, if that is known."""
        return self.deadline or (self.round.deadline if self.round else None)

    def find_overdue_time(self, now: datetime) -> datetime | None:
        """Return since when an open fixture is overdue, None before its deadline or without one."""
        return self.due_at if self.due_at is not None and self.due_at <= now else None

    def is_decided(self, now: datetime) -> bool:
        """Return whether its result, if no game was played, follows from its deadline."""
        deciding = self.competition.deadline_action in Competition.DECIDING_ACTIONS
        return deciding and self.deadline is not None and now >= self.deadline

    @property
    def place(self) -> str:
        """The venue: its own or that of the competition."""
        return self.venue or self.competition.venue


#: The kinds of fixtures in which entries meet; the others are byes.
MEETINGS = (Fixture.Kind.GAME, Fixture.Kind.MATCH)


class FixtureSeat(models.Model):
    """An entry's seat in a fixture, from 1. ``points``: awarded by an arbiter."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    fixture = LeagueKey(Fixture, on_delete=models.CASCADE, db_index=False, related_name="seats")
    seat = models.PositiveSmallIntegerField()
    entry = LeagueKey(Entry, on_delete=models.PROTECT, related_name="seats")
    points = models.CharField(max_length=20, blank=True, help_text="A fraction, if other than by the points table.")
    member = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Of a board: the player's place in the squad; 0: nobody; empty: not known yet."
    )

    class Meta:
        ordering = ("fixture", "seat")
        constraints = (
            models.UniqueConstraint(fields=["league", "fixture", "seat"], name="one_entry_a_seat"),
            models.UniqueConstraint(fields=["league", "fixture", "entry"], name="one_seat_an_entry"),
        )

    def __str__(self) -> str:
        return f"{self.seat}"
