"""Competitions and their entries.

All rows are facts: the log has each of them whole, as ``services.log_rows`` writes it. Points and standings are derived
from them, from the games and from the time (``selectors.competition_data``).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Coalesce
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy, pgettext_lazy

from league.models.facts import Player
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
#: The most lists that the ratings of a competition come from.
MAX_LISTS = 12
#: The highest number that lots are drawn from: up to it they are exact in JSON.
MAX_SEED = (1 << 53) - 1


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
        LOTS = "lots", gettext_lazy("By the ratings at the start, equal ones by lot")
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

    class RatingChoice(models.TextChoices):
        """Which of the ratings in its lists an entry gets."""

        FIRST = "first", gettext_lazy("That of the first list which has one")
        HIGHEST = "highest", gettext_lazy("The highest of the federations")

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
    chess960 = models.BooleanField(
        default=False, help_text=gettext_lazy("The games of each round begin from a position that is drawn by lot.")
    )
    long = models.BooleanField(
        default=False,
        help_text=gettext_lazy("It lasts more than 30 days: it is reported by month, and ratings may change."),
    )
    result_entries = models.CharField(
        max_length=10,
        choices=ResultEntries.choices,
        default=ResultEntries.ONCE,
        help_text=gettext_lazy("Until then a result does not count, and the next round cannot be paired."),
    )
    categories = models.JSONField(default=list, blank=True, help_text="Of entries: key, title and conditions.")
    prizes = models.JSONField(default=dict, blank=True, help_text="The prizes, and how they are shared.")
    rating_lists = models.JSONField(
        default=list, blank=True, help_text="Lists in order, such as fide:rapid. Empty: as proposed, until the start."
    )
    rating_choice = models.CharField(
        max_length=7,
        choices=RatingChoice.choices,
        default=RatingChoice.FIRST,
        help_text=gettext_lazy("Of each federation its first list counts that has a rating."),
    )
    rating_checks = models.BooleanField(
        default=True, help_text=gettext_lazy("The desk says whose rating differs from the lists.")
    )
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

    def in_order(self) -> "EntryQuerySet":
        """Return those of a competition in the order of their pairing numbers."""
        return self.order_by(Coalesce("moved_number", "number"), "number")

    def with_players(self) -> "EntryQuerySet":
        """Read their players, too, and those that these were merged into."""
        return self.prefetch_related("players__player__merged_into")


class Entry(models.Model):
    """A player or a side in a competition.

    ``number`` is its key, in addresses, fixtures and the log: the pairing number given at the start by the seeds;
    before, the order of entering. Late entries and exchanges move pairing numbers alone: see ``pairing_number``.
    """

    class Status(models.TextChoices):
        """The status of an entry."""

        ENTERED = "entered", pgettext_lazy("status of an entry", "Entered")
        WAITING = "waiting", pgettext_lazy("status of an entry", "On the waiting list")
        WITHDRAWN = "withdrawn", pgettext_lazy("status of an entry", "Withdrawn")

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    competition = LeagueKey(Competition, on_delete=models.CASCADE, db_index=False, related_name="entries")
    number = models.PositiveSmallIntegerField()
    moved_number = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(MAX_NUMBER)],
        help_text="Its pairing number, if late entries or an exchange gave it another than its number.",
    )
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
    official_ratings = models.JSONField(
        default=list, blank=True, help_text="Of rating lists, as they were taken; the one that is used may be another."
    )
    later_ratings = models.JSONField(
        default=list, blank=True, help_text="In a long competition: the round from which on it applies, and its source."
    )
    by_hand = models.CharField(
        max_length=20, blank=True, help_text="A number, such as 3 or 12.5, for the tie-break HAND; empty: none."
    )
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
    def pairing_number(self) -> int:
        """The number that it is shown with and paired by."""
        return self.number if self.moved_number is None else self.moved_number

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
#: Ratings of lists, and those that apply in later rounds.
RATINGS_OF_ENTRY = ("official_ratings", "later_ratings")
#: What an entry brings along, and what is typed of it.
DETAILS = ("name", "seed", "rating", "rating_from", "title", "federation", "by_hand")


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
