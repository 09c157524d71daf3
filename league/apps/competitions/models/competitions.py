"""Competitions: entries, rounds and fixtures. A fixture that was played has a game of the league.

All rows are facts: the log has each of them whole, as ``services.log_rows`` writes it. Points and standings are derived
from them, from the games and from the time (``selectors.competition_data``).
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy, pgettext_lazy

from league.models.facts import Game, Player
from league.models.leagues import League, LeagueKey
from ratings.trf.head import MAX_ARBITER, MAX_TIME_CONTROL

#: The points of each outcome (``ratings.contract.competition.PointsTable``). ``places`` may be added: a list.
POINTS: dict[str, Any] = {
    "win": 1, "draw": 0.5, "loss": 0, "pairing_bye": 1, "full_bye": 1, "half_bye": 0.5, "zero_bye": 0,
    "forfeit_win": 1, "forfeit_loss": 0,
}  # fmt: skip
MAX_ENTRIES, MAX_ROUNDS, MAX_SIDE, MAX_TABLE = 2000, 100, 8, 9999
#: The most players of a squad, of whom a team seats some in each match.
MAX_SQUAD = 40
#: The highest number of an entry: numbers from files may have gaps.
MAX_NUMBER = 9999
#: The highest rating that is brought along; one of the league may be higher.
MAX_RATING = 9999
#: A fixture without a deadline is overdue that long after its beginning.
LONGEST_GAME = timedelta(days=1)


def copy_points() -> dict[str, Any]:
    """Return the usual points."""
    return dict(POINTS)


class Competition(models.Model):
    """A competition of a league. ``group`` is the title of the competitions that belong together, such as divisions."""

    class Status(models.TextChoices):
        """The status of a competition."""

        DRAFT = "draft", pgettext_lazy("status of a competition", "Draft")
        OPEN = "open", pgettext_lazy("status of a competition", "Open for entries")
        RUNNING = "running", pgettext_lazy("status of a competition", "Running")
        FINISHED = "finished", pgettext_lazy("status of a competition", "Finished")
        CANCELLED = "cancelled", pgettext_lazy("status of a competition", "Cancelled")

    class Seeding(models.TextChoices):
        """How entries get their numbers at the start."""

        RATING = "rating", gettext_lazy("By the ratings at the start")
        HAND = "hand", gettext_lazy("In the order in which they are listed")

    class DeadlineAction(models.TextChoices):
        """What a fixture without a result counts as after its deadline."""

        WAIT = "wait", gettext_lazy("Nothing: it can still be played")
        FORFEIT = "forfeit", gettext_lazy("Everyone in it loses by forfeit")
        DRAW = "draw", gettext_lazy("It is a draw without play")
        ASK = "ask", pgettext_lazy("after a deadline", "The organiser decides")

    class ResultEntries(models.TextChoices):
        """How often a result is entered before it counts."""

        ONCE = "once", gettext_lazy("Once")
        TWICE = "twice", gettext_lazy("Twice, with the same value")
        TWO_PEOPLE = "two_people", gettext_lazy("By two people, with the same value")

    #: What decides a fixture at its deadline, so that it is no longer to be played.
    DECIDING_ACTIONS = (DeadlineAction.FORFEIT, DeadlineAction.DRAW)

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_index=False, related_name="competitions")
    slug = models.SlugField(max_length=50, validators=[RegexValidator(r"^[a-z0-9][a-z0-9_-]*\Z")])
    title = models.CharField(max_length=120)
    description = models.TextField(blank=True, max_length=4000)
    format = models.CharField(max_length=20)
    parameters = models.JSONField(default=dict, blank=True)
    sides_of = models.PositiveSmallIntegerField(
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(MAX_SIDE)],
        help_text=gettext_lazy("Players of an entry."),
    )
    teams = models.JSONField(
        default=dict, blank=True, help_text="Entries are teams: the points of their boards. Empty: they are not."
    )
    rounds = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(MAX_ROUNDS)]
    )
    starts_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField(null=True, blank=True)
    time_zone = models.CharField(max_length=64, blank=True, help_text=gettext_lazy("Empty: the league's."))
    points = models.JSONField(default=copy_points)
    tie_breaks = models.JSONField(default=list, blank=True)
    tie_break_rules = models.JSONField(default=dict, blank=True)
    rated = models.BooleanField(default=True)
    max_entries = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(2), MaxValueValidator(MAX_ENTRIES)]
    )
    seeding = models.CharField(max_length=6, choices=Seeding.choices, default=Seeding.RATING)
    players_enter = models.BooleanField(default=False)
    deadline_action = models.CharField(max_length=7, choices=DeadlineAction.choices, default=DeadlineAction.WAIT)
    venue = models.CharField(max_length=200, blank=True)
    group = models.CharField(max_length=80, blank=True)
    federation = models.CharField(
        max_length=3, blank=True, help_text=gettext_lazy("Three letters, as FIDE writes them, e.g. SRB.")
    )
    arbiter = models.CharField(
        max_length=MAX_ARBITER, blank=True, help_text=gettext_lazy("Name and FIDE ID of the chief arbiter.")
    )
    time_control = models.CharField(
        max_length=MAX_TIME_CONTROL,
        blank=True,
        help_text=gettext_lazy("In seconds, e.g. 5400+30 or 40/5400+30:1800+30."),
    )
    regulations = models.BooleanField(
        default=False, help_text=gettext_lazy("Settings are fixed at the start, and what they forbid is refused.")
    )
    lots = models.BooleanField(
        default=False, help_text=gettext_lazy("Those whom no tie-break separates are ranked by lot, from the seed.")
    )
    result_entries = models.CharField(
        max_length=10,
        choices=ResultEntries.choices,
        default=ResultEntries.ONCE,
        help_text=gettext_lazy("Until then a result does not count, and the next round cannot be paired."),
    )
    categories = models.JSONField(default=list, blank=True, help_text="Of entries: key, title and conditions.")
    prizes = models.JSONField(default=dict, blank=True, help_text="The prizes, and how they are shared.")
    status = models.CharField(max_length=9, choices=Status.choices, default=Status.DRAFT)
    regulations_left = models.PositiveSmallIntegerField(
        null=True, editable=False, help_text="The last round that was made when the regulations were left."
    )
    seed = models.PositiveBigIntegerField(editable=False, help_text="What lots are drawn from.")
    created_at = models.DateTimeField(editable=False)
    created_by = models.CharField(max_length=200, blank=True, editable=False)

    class Meta:
        ordering = ("league", "-created_at", "slug")
        constraints = (
            models.UniqueConstraint(fields=["league", "slug"], name="one_competition_a_slug"),
            models.CheckConstraint(
                condition=Q(status__in=["draft", "open", "running", "finished", "cancelled"]), name="competition_status"
            ),
            models.CheckConstraint(condition=Q(sides_of__gte=1, sides_of__lte=MAX_SIDE), name="players_of_an_entry"),
        )

    def __str__(self) -> str:
        return self.title

    @property
    def players_of_seat(self) -> int:
        """How many players share the result of a game: of teams, each has a board of their own."""
        return 1 if self.teams else self.sides_of


#: The settings of a competition, in the order of logs and exports.
SETTINGS = tuple(
    field.name for field in Competition._meta.concrete_fields if field.name not in ("id", "league", "slug")
)
#: Those that people give, apart from ``status``, which has its own rules.
GIVEN_SETTINGS = SETTINGS[: SETTINGS.index("status")]

#: What a tournament report states of the whole tournament.
REPORT_HEAD = ("federation", "arbiter", "time_control")


def build_rating_field(help_text: str) -> Any:
    """Return the field of a rating that an entry has, or brings along."""
    return models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(0), MaxValueValidator(MAX_RATING)], help_text=help_text
    )


class EnteredPlayer(NamedTuple):
    """What is shown of a player of an entry."""

    pk: int
    handle: str
    name: str


class EntryQuerySet(models.QuerySet["Entry"]):
    """Conditions on entries."""

    def entered(self) -> "EntryQuerySet":
        """Return those that take part now."""
        return self.filter(status=Entry.Status.ENTERED)

    def waiting(self) -> "EntryQuerySet":
        """Return those on the waiting list, the first first."""
        return self.filter(status=Entry.Status.WAITING).order_by("number")

    def with_players(self) -> "EntryQuerySet":
        """Read their players, too, and those that these were merged into."""
        return self.prefetch_related("players__player__merged_into")


class Entry(models.Model):
    """A player or a side in a competition.

    ``number`` is the pairing number, given at the start by the seeds; before, the order of entering.
    """

    class Status(models.TextChoices):
        """The status of an entry."""

        ENTERED = "entered", pgettext_lazy("status of an entry", "Entered")
        WAITING = "waiting", pgettext_lazy("status of an entry", "On the waiting list")
        WITHDRAWN = "withdrawn", pgettext_lazy("status of an entry", "Withdrawn")

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    competition = LeagueKey(Competition, on_delete=models.CASCADE, db_index=False, related_name="entries")
    number = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=120, blank=True, help_text="Of a side; empty: the names of its players.")
    seed = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(MAX_NUMBER)],
        help_text="By hand; empty: by rating.",
    )
    rating = build_rating_field("At the start, or brought along.")
    rating_from = models.CharField(
        max_length=60,
        blank=True,
        help_text="Where a rating that was brought along is from, e.g. fide 2026-11-01, standard; empty: typed.",
    )
    title = models.CharField(max_length=10, blank=True)
    federation = models.CharField(max_length=10, blank=True)
    status = models.CharField(max_length=9, choices=Status.choices, default=Status.ENTERED)
    withdrawn_after = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(0), MaxValueValidator(MAX_ROUNDS)],
        help_text="The last round it plays.",
    )
    byes = models.JSONField(default=list, blank=True, help_text="Requested: round and kind.")
    not_against = models.JSONField(default=list, blank=True, help_text="Numbers of entries that it must not meet.")
    apart = models.JSONField(default=list, blank=True, help_text="Entries that it must not meet in some rounds.")
    virtual_points = models.JSONField(default=list, blank=True, help_text="By round: count for the pairing alone.")
    added_points = models.JSONField(default=list, blank=True, help_text="By an arbiter: round, points and reason.")
    about = models.JSONField(default=dict, blank=True, help_text="For categories: sex, born, club and own facts.")
    no_byes = models.BooleanField(default=False, help_text="It may ask for no bye with points.")
    expelled = models.BooleanField(default=False, help_text="By the arbiter: it is left out of the ranks.")
    checked_in_at = models.DateTimeField(null=True, blank=True)
    entered_at = models.DateTimeField()
    entered_by = models.CharField(max_length=200, blank=True)
    objects = EntryQuerySet.as_manager()

    class Meta:
        ordering = ("competition", "number")
        constraints = (
            models.UniqueConstraint(fields=["league", "competition", "number"], name="one_entry_a_number"),
            models.CheckConstraint(condition=Q(status__in=["entered", "waiting", "withdrawn"]), name="entry_status"),
        )

    def __str__(self) -> str:
        return f"{self.number}"

    @property
    def is_present(self) -> bool:
        """Whether it was checked in."""
        return self.checked_in_at is not None

    @cached_property
    def survivors(self) -> Sequence[EnteredPlayer]:
        """The players for whom the entry counts, in the order of the side."""
        survivors = [line.survivor for line in self.players.all()]
        return [EnteredPlayer(player.pk, player.handle, player.name) for player in survivors]


#: Whom an entry must not meet, always and in some rounds: only organisers see it.
FORBIDDEN = ("not_against", "apart")
#: What only organisers see of an entry: also what is known of the person.
HIDDEN = (*FORBIDDEN, "about")
#: Points apart from those of rounds: for the pairing alone, and by an arbiter.
EXTRA_POINTS = ("virtual_points", "added_points")
#: What an arbiter notes of an entry.
MARKS = ("no_byes", "expelled")
#: Where the rating of an entry is from that had none and got the league's at the start.
RATING_OF_LEAGUE = "league"
#: What an entry brings along, and what is typed of it.
DETAILS = ("name", "seed", "rating", "rating_from", "title", "federation")


class EntryPlayer(models.Model):
    """A player of an entry, in the order of the side, as entered; ``survivor`` follows a later merge."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    competition = LeagueKey(Competition, on_delete=models.CASCADE, db_index=False, related_name="+")
    entry = LeagueKey(Entry, on_delete=models.CASCADE, db_index=False, related_name="players")
    position = models.PositiveSmallIntegerField()
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="entries")

    class Meta:
        ordering = ("entry", "position")
        constraints = (
            models.UniqueConstraint(fields=["league", "competition", "player"], name="one_entry_a_player"),
            models.UniqueConstraint(fields=["league", "entry", "position"], name="one_player_a_position"),
        )

    def __str__(self) -> str:
        return str(self.player)

    @property
    def survivor(self) -> Player:
        """Return the player for whom the entry counts."""
        return self.player.merged_into or self.player


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
        return running.exclude(competition__deadline_action__in=Competition.DECIDING_ACTIONS, deadline__lte=now)


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
        """Return since when an open fixture is overdue: from its deadline, or its beginning if that was a day ago."""
        if self.due_at is not None:
            return self.due_at if self.due_at <= now else None
        began = self.expected_at
        return began if began is not None and began + LONGEST_GAME <= now else None

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
