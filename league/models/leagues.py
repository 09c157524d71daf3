"""Leagues: their settings, and internal state that is written under the league's lock.

API bodies and answers, the log, exports, restores, verification and the organiser's form are derived from ``SETTINGS``
and from the model fields: their types, bounds and choices. So a new setting needs a model field with its migration, its
name in ``SETTINGS`` and its documentation; a form field only if Django's default does not suffice. ``metadata`` has no
form field: only programs write it.
"""

from typing import Any, TypeVar

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.db.models.fields.related_descriptors import ReverseManyToOneDescriptor
from django.db.models.lookups import Exact
from django.db.models.sql.where import WhereNode
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy, pgettext_lazy

from league.core.records import Record
from league.core.text.board_words import PLAYED_BY_CHOICES, PLAYERS, BoardWords, get_board_words
from league.core.text.languages import languages
from league.models.emblem_names import AUTO, CHARGE_CHOICES, COLOUR_CHOICES, DIVISION_CHOICES

#: The settings of a league, in output order.
SETTINGS = (
    "title", "game", "description", "time_zone", "visibility", "min_games", "inactive_after_days", "close_after_hours",
    "closing", "language", "reporting", "report_hours", "report_timeout", "colour", "division", "charge", "metadata",
    "played_by",
)  # fmt: skip
#: The groups of settings on the organiser's page; settings in no group are shown below.
SETTING_GROUPS = (
    (gettext_lazy("Title and description"), ("title", "game", "played_by", "language", "description")),
    (gettext_lazy("Visibility"), ("visibility",)),
    (gettext_lazy("Calendar"), ("time_zone", "closing", "close_after_hours")),
    (gettext_lazy("Board"), ("min_games", "inactive_after_days")),
    (gettext_lazy("Player reports"), ("reporting", "report_hours", "report_timeout")),
)
_Set = TypeVar("_Set")
_Get = TypeVar("_Get")


class League(models.Model):
    """A rating pool: players rated together under one system. Its row is the lock of its data."""

    class Visibility(models.TextChoices):
        """Who may read the league."""

        PUBLIC = "public", pgettext_lazy("a league", "Public")
        PRIVATE = "private", pgettext_lazy("a league", "Private")

    class Closing(models.TextChoices):
        """How periods of its ladders are closed."""

        AUTOMATIC = "automatic", gettext_lazy("Automatically, after the time below")
        BY_HAND = "by_hand", gettext_lazy("Only when an organiser closes it")

    class Reporting(models.TextChoices):
        """Whether players can report games themselves."""

        OFF = "off", gettext_lazy("No: members record all games")
        BY_LINK = "by_link", gettext_lazy("Yes: with private links; another player at the table confirms")

    class Timeout(models.TextChoices):
        """What happens to a report that nobody confirmed or disputed in time."""

        WAIT = "wait", gettext_lazy("The organiser decides")
        CONFIRM = "confirm", gettext_lazy("It counts as confirmed")
        DROP = "drop", gettext_lazy("It expires")

    slug = models.SlugField(max_length=50, unique=True, validators=[RegexValidator(r"^[a-z0-9][a-z0-9_-]*\Z")])
    title = models.CharField(max_length=120)
    game = models.CharField(max_length=80, blank=True, help_text=gettext_lazy("The game, e.g. Barbu."))
    description = models.TextField(blank=True, max_length=4000)
    time_zone = models.CharField(max_length=64, default="UTC", help_text=gettext_lazy("E.g. Europe/Belgrade."))
    visibility = models.CharField(max_length=8, choices=Visibility.choices, default=Visibility.PUBLIC)
    min_games = models.PositiveIntegerField(
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(10_000)],
        help_text=gettext_lazy("Games that a player needs to appear on the leaderboard."),
    )
    inactive_after_days = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(36_500)],
        help_text=gettext_lazy("Players without a game for this many days leave the leaderboard. Empty: never."),
    )
    close_after_hours = models.PositiveIntegerField(
        default=24,
        validators=[MaxValueValidator(8760)],
        help_text=gettext_lazy("Hours from a period's end, or its last entry, until it closes automatically."),
    )
    closing = models.CharField(
        max_length=9,
        choices=Closing.choices,
        default=Closing.AUTOMATIC,
        help_text=gettext_lazy("Whether periods close automatically."),
    )
    language = models.CharField(
        max_length=12,
        choices=languages,
        default="en",
        help_text=gettext_lazy("Used for notices by email and in chats."),
    )
    reporting = models.CharField(
        max_length=7,
        choices=Reporting.choices,
        default=Reporting.OFF,
        help_text=gettext_lazy("Whether players report games themselves. An unconfirmed report is not rated."),
    )
    report_hours = models.PositiveIntegerField(
        default=48,
        validators=[MinValueValidator(1), MaxValueValidator(8760)],
        help_text=gettext_lazy("Hours in which a report can be confirmed."),
    )
    report_timeout = models.CharField(
        max_length=7,
        choices=Timeout.choices,
        default=Timeout.WAIT,
        help_text=gettext_lazy("What happens to a report that is neither confirmed nor disputed in time."),
    )
    # The colour of its pages and emblem; the division of the emblem's field and its symbol.
    colour = models.CharField(max_length=12, choices=COLOUR_CHOICES, default=AUTO)
    division = models.CharField(max_length=12, choices=DIVISION_CHOICES, default=AUTO)
    charge = models.CharField(max_length=12, choices=CHARGE_CHOICES, default=AUTO)
    played_by = models.CharField(
        max_length=7,
        choices=PLAYED_BY_CHOICES,
        default=PLAYERS,
        db_default=PLAYERS,
        verbose_name=gettext_lazy("Those who are ranked"),
        help_text=gettext_lazy("What pages call those on the board."),
    )
    # Written by API clients (``league.core.metadata``).
    metadata = models.JSONField(default=dict, db_default={}, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    # Internal state under the league's lock, not facts:
    last_number = models.PositiveBigIntegerField(default=0, editable=False)
    stale_from = models.DateTimeField(null=True, blank=True, editable=False)
    stale_key = models.PositiveBigIntegerField(default=0, editable=False)
    # The earliest change since the running background replay read the facts:
    touched_from = models.DateTimeField(null=True, blank=True, editable=False)
    touched_key = models.PositiveBigIntegerField(default=0, editable=False)
    # Periods from this time on wait for a worker to rank them, having too many games to rank inline:
    unranked_from = models.DateTimeField(null=True, blank=True, editable=False)
    replays = models.PositiveBigIntegerField(default=0, editable=False, help_text="How often history was rewritten.")
    # The head of the log, stored separately from the entries so that removing the last ones is detected.
    log_length = models.PositiveBigIntegerField(default=0, editable=False)
    log_sha256 = models.CharField(max_length=64, default="", blank=True, editable=False)
    # State that apps write and that core reads, so that recording and pages ask no table of an app. A column has the
    # name that it had in the release before. Whether an app listens to its log:
    has_listeners = models.BooleanField(default=False, editable=False, db_column="has_webhooks")
    # Whether games are recorded that an app attaches to something of its own:
    attaches_games = models.BooleanField(default=False, db_default=False, editable=False, db_column="has_fixtures")
    # Whether games ever were, so that pages of other leagues do not ask what a game was played for:
    has_attached_games = models.BooleanField(default=False, db_default=False, editable=False)
    # The number of its last message to chats (``league.core.chats``):
    last_message = models.PositiveBigIntegerField(default=0, editable=False, db_column="last_notice")
    # Whether it has declared fields; without, recording a game does not ask for them.
    has_fields = models.BooleanField(default=False, db_default=False, editable=False)
    # Whether it has contexts; without, a replay does not ask for them.
    has_contexts = models.BooleanField(default=False, db_default=False, editable=False)
    # The key of a system by which an app rates it, too; "": none.
    also_rated_by = models.CharField(max_length=40, default="", blank=True, editable=False, db_column="second_system")
    # False if the league has no seasons, adjustments or changes of system, which saves queries for rating changes
    # between games.
    eventful = models.BooleanField(default=False, editable=False)
    # The seats of its score pad, from its template; None if tables differ.
    seats = models.PositiveSmallIntegerField(null=True, editable=False)
    # The SHA-256 of its uploaded picture, shown instead of the drawn emblem; "" if there is none.
    picture = models.CharField(max_length=64, default="", blank=True, editable=False)

    #: The context whose derived data is meant; None: the league's own (``league.models.contexts``).
    context: Any = None

    class Meta:
        ordering = ("title", "slug")
        constraints = (
            models.CheckConstraint(condition=Q(visibility__in=["public", "private"]), name="league_visibility"),
            models.CheckConstraint(condition=Q(closing__in=["automatic", "by_hand"]), name="league_closing"),
            models.CheckConstraint(condition=Q(reporting__in=["off", "by_link"]), name="league_reporting"),
            models.CheckConstraint(
                condition=Q(report_timeout__in=["wait", "confirm", "drop"]), name="league_report_timeout"
            ),
            models.CheckConstraint(condition=Q(report_hours__gte=1), name="league_report_hours"),
            models.CheckConstraint(condition=Q(min_games__gte=1), name="league_min_games"),
            models.CheckConstraint(condition=~Q(slug="") & ~Q(title=""), name="league_is_named"),
        )

    def __str__(self) -> str:
        return self.title

    @property
    def words(self) -> BoardWords:
        """What pages call those who are ranked."""
        return get_board_words(self.played_by)


LEAGUE_RECORD = Record(
    League,
    f"slug {' '.join(SETTINGS)} created_at last_number log_length",
    omit={"metadata": {}, "played_by": PLAYERS},
)


class LeagueRows(ReverseManyToOneDescriptor):  # type: ignore[type-arg]  # generic in the stubs only
    """The reverse side of a ``LeagueKey``: related rows are looked up within the league."""

    @cached_property
    def related_manager_cls(self) -> Any:
        """Return Django's manager of related rows, with the league as an additional condition."""
        of_reference: Any = super().related_manager_cls

        class OfLeague(of_reference):  # type: ignore[misc]  # created by Django
            def __init__(self, instance: Any) -> None:
                super().__init__(instance)
                self.core_filters["league_id"] = instance.league_id

            def get_prefetch_querysets(self, instances: Any, querysets: Any = None) -> Any:
                rows = querysets[0] if querysets else super(of_reference, self).get_queryset()
                leagues = {instance.league_id for instance in instances}
                return super().get_prefetch_querysets(instances, [rows.filter(league_id__in=leagues)])

        return OfLeague


class LeagueKey(models.ForeignKey[_Set, _Get]):
    """A foreign key between rows of one league, both with a ``league`` field, which every query also compares.

    So queries use the indexes, which begin with the league, and read one partition if tables are partitioned by league.
    """

    related_accessor_class = LeagueRows

    def get_extra_restriction(self, alias: str | None, related_alias: str) -> WhereNode | None:
        """Return the join condition that both rows belong to the same league.

        alias: of the referenced table, None if the query omits it; related_alias: of the referring table.
        """
        if alias is None:
            return None
        models_of_both: Any = (self.model, self.related_model)
        own_field, other_field = (model._meta.get_field("league") for model in models_of_both)
        condition: Any = Exact(own_field.get_col(related_alias), other_field.get_col(alias))
        return WhereNode([condition])

    def deconstruct(self) -> Any:
        """Return a plain foreign key for migrations: the database needs nothing else."""
        name, _, *arguments = super().deconstruct()
        return name, "django.db.models.ForeignKey", *arguments


def build_setting_field(name: str) -> Any:
    """Return the model field of a setting."""
    return League._meta.get_field(name)
