"""Facts: recorded by people; they are added, voided or ended, never edited silently.

API bodies and answers, the log, exports, restores and verification are derived from ``SHEET``, ``RESULT`` and the model
fields: their types, bounds and choices.
"""

from collections.abc import Sequence
from datetime import datetime
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Self

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.core.log.chain import new_opaque
from league.core.log_tables import LogTable
from league.core.records import Record
from league.core.text.names import HANDLE_LENGTH, KEY_LENGTH, NAME_LENGTH, build_name_key
from league.core.text.stored_messages import phrase
from league.models.leagues import League, LeagueKey
from league.models.recorded import MAX_REASON_LENGTH, FactQuerySet, Recorded, Sheet

#: Larger scores are typing errors; the check also rejects NaN and infinity, which fail both bounds.
SCORE_LIMIT = 1e9
MAX_SEATS = 100
#: Maximum weight of a game.
MAX_WEIGHT = 10.0
#: Maximum number of points of one adjustment, positive or negative.
MAX_ADJUSTMENT = 10_000.0
#: Games that change no rating.
UNRATED = Q(voided_at__isnull=False) | ~Q(kind="played")
#: The fields of a game that never change, apart from its number.
SHEET = tuple(field.name for field in Sheet._meta.fields)
#: Who recorded and who voided a fact.
RECORDED = tuple(field.name for field in Recorded._meta.fields)
#: What the columns of voiding contain in rows that are not void.
NOT_VOID = {"voided_at": None, "voided_by": "", "void_reason": ""}


def build_recording(now: datetime, username: str) -> dict[str, Any]:
    """Return what a new fact contains of its recording: it is not void."""
    return {"recorded_at": now, "recorded_by": username, **NOT_VOID}


#: The fields of a result, apart from seat and player.
RESULT = ("score", "place", "side")
RESULT_VALUES = attrgetter(*RESULT)


def build_original_player_field() -> "models.ForeignKey[Player | None, Player | None]":
    """Return a field for the player originally named by a fact, if that player has since been merged into another.

    The fact's ``player`` is the one for whom it counts, so readers need not know about merges.
    """
    return models.ForeignKey(
        "league.Player",
        null=True,
        blank=True,
        editable=False,
        on_delete=models.PROTECT,
        db_index=False,
        related_name="+",
    )


if TYPE_CHECKING:
    TextField = models.CharField[str, str]
else:
    TextField = models.CharField


class NameKeyField(TextField):
    """The key of the text in another field (``build_name_key``), set whenever that field is saved."""

    def __init__(self, text_field: str, **options: Any) -> None:
        super().__init__(**{**options, "editable": False})
        self.text_field = text_field

    def clone(self) -> "NameKeyField":
        """Return a copy, for the state of migrations."""
        return NameKeyField(self.text_field, **self.deconstruct()[3])

    def deconstruct(self) -> tuple[str, str, Sequence[Any], dict[str, Any]]:
        """Return the field as a migration writes it: a text."""
        name, _path, arguments, options = super().deconstruct()
        return name, "django.db.models.CharField", arguments, options

    def pre_save(self, model_instance: models.Model, add: bool) -> str:
        """Set the key."""
        key = build_name_key(getattr(model_instance, self.text_field))
        setattr(model_instance, self.attname, key)
        return key


class Player(models.Model):
    """A player, known across all leagues of the site."""

    handle = models.CharField(
        max_length=HANDLE_LENGTH, unique=True, help_text=gettext_lazy("Short name for addresses and files.")
    )
    name = models.CharField(max_length=NAME_LENGTH)
    name_key = NameKeyField("name", max_length=KEY_LENGTH, db_default="")
    added_in = models.ForeignKey(
        League,
        null=True,
        editable=False,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    """The league whose readers alone see the player before the first game; None: all users who may record."""
    active = models.BooleanField(
        default=True, help_text=gettext_lazy("Whether players who have not played yet are offered.")
    )
    """Used only before the first game; players with games are active or inactive per league (``Inactive``)."""
    merged_into = models.ForeignKey(
        "self", null=True, blank=True, editable=False, on_delete=models.PROTECT, db_index=False, related_name="merged"
    )
    """The player that this one was merged into; the merge itself is a separate fact (``Merge``)."""
    # Written by API clients (``league.core.metadata``).
    metadata = models.JSONField(default=dict, db_default={}, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    opaque = models.CharField(max_length=24, editable=False, default=new_opaque)
    erased_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ("name", "handle")
        indexes = (
            models.Index(fields=["merged_into"], condition=Q(merged_into__isnull=False), name="players_merged"),
            models.Index(fields=["name", "handle"], name="players_by_name"),
            models.Index(fields=["name_key"], name="players_by_name_key"),
            models.Index(fields=["added_in"], name="players_by_league"),
        )
        constraints = (
            models.CheckConstraint(condition=~Q(handle=""), name="player_has_a_handle"),
            models.CheckConstraint(condition=~Q(name=""), name="player_has_a_name"),
            models.CheckConstraint(condition=~Q(merged_into=F("id")), name="nobody_is_merged_into_himself"),
            models.UniqueConstraint(F("opaque"), name="one_player_an_opaque_handle"),
        )

    def __str__(self) -> str:
        return self.name


class Alias(models.Model):
    """A spelling under which a player is found.

    Every handle is also a row here, so that a handle and an alias can never refer to different players.
    """

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="aliases")
    text = models.CharField(max_length=NAME_LENGTH)
    key = NameKeyField("text", max_length=KEY_LENGTH, unique=True)
    recorded_as = build_original_player_field()

    class Meta:
        ordering = ("key",)
        verbose_name_plural = "aliases"
        constraints = (models.CheckConstraint(condition=~Q(key=""), name="alias_has_a_key"),)

    def __str__(self) -> str:
        return self.text


class Rule(models.Model):
    """A league's dated choice of system and parameters, in force from the start of a day."""

    class Start(models.TextChoices):
        """Where ratings begin if the previous rule has a different system."""

        REPLAYED = "replayed", gettext_lazy("Replayed, as if this system had always been used")
        ANEW = "anew", gettext_lazy("From scratch, everyone at the starting rating")

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="rules")
    from_date = models.DateField(
        help_text=gettext_lazy("The first day on which it is in force, in the league's time zone.")
    )
    starts_at = models.DateTimeField(editable=False, help_text="The instant at which that day began.")
    system = models.CharField(max_length=40)
    parameters = models.JSONField(default=dict, blank=True)
    season = models.JSONField(
        default=dict,
        blank=True,
        help_text="The days on which a season begins, and how far everybody is pulled towards the start then.",
    )
    start = models.CharField(
        max_length=8,
        choices=Start.choices,
        default=Start.REPLAYED,
        db_default="replayed",
        help_text="Where ratings begin if the rule before has another system.",
    )
    sets = models.JSONField(
        default=dict, db_default={}, blank=True, help_text="How the sets of a match count; empty: games have no sets."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.CharField(max_length=200, blank=True, editable=False)

    class Meta:
        ordering = ("starts_at",)
        constraints = (
            models.UniqueConstraint(fields=["league", "from_date"], name="one_rule_a_day"),
            models.UniqueConstraint(fields=["league", "starts_at"], name="one_rule_an_instant"),
        )

    def __str__(self) -> str:
        return _("{system} from {day}").format(system=self.system, day=self.from_date)


RULE_RECORD = Record(
    Rule,
    "from_date starts_at system parameters created_at created_by season start sets",
    order_by="starts_at",
    omit={"season": {}, "start": "replayed", "sets": {}},
)
RULE_LOG = LogTable(
    RULE_RECORD,
    "rules",
    kinds=["rule.adopted"],
    key="from",
    renamed="from=from_date",
    stated="starts_at by=created_by created_at",
    name=lambda day: phrase("The rule from {day}", day=day),
    counted=phrase("in rules, compared with the log"),
)


class InitialRating(models.Model):
    """A player's initial rating in a league, if different from the system's."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="initial_ratings")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="initial_ratings")
    rating = models.FloatField()
    recorded_as = build_original_player_field()

    class Meta:
        ordering = ("player",)
        constraints = (
            models.UniqueConstraint(fields=["league", "player"], name="one_start_a_player"),
            models.CheckConstraint(
                condition=Q(rating__gte=-SCORE_LIMIT) & Q(rating__lte=SCORE_LIMIT), name="start_is_finite"
            ),
        )

    def __str__(self) -> str:
        return f"{self.player}: {self.rating:g}"


START_RECORD = Record(
    InitialRating, "player=player.handle recorded_as=recorded_as.handle rating", order_by="player__handle"
)
START_LOG = LogTable(
    START_RECORD,
    "starts",
    kinds=["initial_rating.set"],
    key="recorded_as|player",
    stated="recorded_as",
    name=lambda handle: phrase("The initial rating of {player}", player=handle),
    counted=phrase("in initial ratings, compared with the log"),
)


class Adjustment(Recorded):
    """Points awarded or deducted apart from games, such as a penalty or a bonus: dated, with a reason, voidable."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="adjustments")
    number = models.PositiveIntegerField(help_text="1, 2, 3 … in its league.")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="adjustments")
    recorded_as = build_original_player_field()
    at = models.DateTimeField(help_text="It counts before every game that was played then or later.")
    amount = models.FloatField(help_text="Points that the rating goes up by; below 0: down.")
    reason = models.CharField(max_length=MAX_REASON_LENGTH)
    objects = FactQuerySet.as_manager()

    class Meta:
        ordering = ("at", "number")
        constraints = (
            models.UniqueConstraint(fields=["league", "number"], name="one_adjustment_a_number"),
            models.CheckConstraint(
                condition=Q(amount__gte=-MAX_ADJUSTMENT) & Q(amount__lte=MAX_ADJUSTMENT) & ~Q(amount=0),
                name="adjustment_bounds",
            ),
        )

    def __str__(self) -> str:
        return f"{self.player}: {self.amount:+g}"


ADJUSTMENT_RECORD = Record(
    Adjustment,
    f"player=player.handle recorded_as=recorded_as.handle number at amount reason {' '.join(RECORDED)}",
    order_by="number",
)
ADJUSTMENT_LOG = LogTable(
    ADJUSTMENT_RECORD,
    "adjustments",
    kinds=["adjustment.made"],
    key="number",
    payload="number player since=at amount reason",
    stated="recorded_as at=recorded_at by=recorded_by",
    name=lambda number: phrase("Adjustment {number}", number=number),
    counted=phrase("in adjustments, compared with the log"),
)
ADJUSTMENT_VOID_LOG = LogTable(
    ADJUSTMENT_RECORD,
    "void adjustments",
    kinds=["adjustment.voided"],
    key="number",
    payload="number player since=at reason=void_reason",
    beside="player since",
    stated="at=voided_at by=voided_by",
    none=NOT_VOID,
    name=lambda number: phrase("The void mark of adjustment {number}", number=number),
    counted=phrase("in void adjustments, compared with the log"),
)


class GameQuerySet(FactQuerySet["Game"]):
    """Games."""

    def rated(self) -> Self:
        """Return those that change ratings."""
        return self.counting().filter(kind=Sheet.Kind.PLAYED)


class ResultQuerySet(models.QuerySet["Result"]):
    """Results of games."""

    def counting(self) -> Self:
        """Return those of games that are not void."""
        return self.filter(game__voided_at__isnull=True)

    def rated(self) -> Self:
        """Return those of games that change ratings."""
        return self.counting().filter(game__kind=Sheet.Kind.PLAYED)


class Game(Sheet, Recorded):
    """One recorded score sheet. Games are rated in the order of their positions.

    The order key is the game's number; a game that replaces another inherits its key, so that it keeps its place
    among games of the same time. At most one game with a key counts.
    """

    # A separate index would duplicate the one on the numbers.
    league = models.ForeignKey(League, on_delete=models.CASCADE, db_index=False, related_name="games")
    number = models.PositiveBigIntegerField(help_text="Gapless in the league, handed out under its lock.")
    order_key = models.PositiveBigIntegerField(editable=False, help_text="Its place among games of the same time.")
    # Several games may replace one: the correction, and a later restoration.
    replaces = LeagueKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, db_index=False, related_name="replacements"
    )

    objects = GameQuerySet.as_manager()

    class Meta:
        ordering = ("-played_at", "-order_key", "-number")
        indexes = (
            models.Index(fields=["league", "played_at", "order_key", "number"], name="game_order"),
            # Partial, as few games replace others or are void: recording other games does not write to them.
            models.Index(fields=["replaces"], condition=Q(replaces__isnull=False), name="games_that_replace"),
            # A league's corrections, newest first.
            models.Index(fields=["league", "-number"], condition=Q(replaces__isnull=False), name="replacing_games"),
            # The league comes second, so that other queries for a league's void games do not use this index.
            models.Index(fields=["order_key", "league"], condition=Q(voided_at__isnull=False), name="void_order_keys"),
            # Live games are covered by the index of a constraint.
            models.Index(
                fields=["league", "external_id"], condition=Q(voided_at__isnull=False), name="void_external_ids"
            ),
            # Their players have no rating to search by. Recording a rated game does not write to it.
            models.Index(fields=["league"], condition=UNRATED, name="games_unrated"),
        )
        constraints = (
            models.UniqueConstraint(fields=["league", "number"], name="one_number_a_league"),
            models.UniqueConstraint(
                fields=["league", "external_id"], condition=Q(voided_at__isnull=True), name="one_external_id_a_league"
            ),
            models.UniqueConstraint(
                fields=["league", "order_key"], condition=Q(voided_at__isnull=True), name="one_game_counts_an_order_key"
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="numbers_begin_at_one"),
            models.CheckConstraint(condition=Q(order_key__gte=1), name="order_keys_begin_at_one"),
            models.CheckConstraint(
                condition=Q(
                    kind__in=["played", "forfeit", "full_bye", "half_bye", "zero_bye", "pairing_bye", "friendly"],
                ),
                name="game_kind",
            ),
            models.CheckConstraint(condition=Q(weight__gte=0) & Q(weight__lte=MAX_WEIGHT), name="weight_bounds"),
            models.CheckConstraint(condition=~Q(external_id=""), name="external_id_is_not_empty"),
            models.CheckConstraint(
                condition=Q(voided_at__isnull=False) | Q(void_reason=""), name="only_void_games_have_a_reason"
            ),
            models.CheckConstraint(condition=~Q(replaces=F("id")), name="no_game_replaces_itself"),
        )

    def __str__(self) -> str:
        return _("Game {number}").format(number=self.number)

    @property
    def position(self) -> tuple[datetime, int]:
        """Return the game's position in its league's order: (played_at, order key)."""
        return self.played_at, self.order_key


class Result(models.Model):
    """One player's line in a game."""

    # The game's foreign key implies that the league exists: a second check would take as long as writing the line.
    # Separate indexes would duplicate the one on the seats.
    league = models.ForeignKey(League, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    game = LeagueKey(Game, on_delete=models.CASCADE, db_index=False, related_name="results")
    seat = models.PositiveSmallIntegerField()
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="results")
    score = models.FloatField(null=True, blank=True)
    place = models.PositiveSmallIntegerField(null=True, blank=True)
    side = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Players of one side share their result; empty: everyone plays alone."
    )
    recorded_as = build_original_player_field()

    objects = ResultQuerySet.as_manager()

    class Meta:
        ordering = ("game", "seat")
        # Partial: only merged lines are in it, so recording does not write to it.
        indexes = (models.Index(fields=["recorded_as"], condition=Q(recorded_as__isnull=False), name="results_merged"),)
        constraints = (
            models.UniqueConstraint(fields=["league", "game", "seat"], name="one_result_a_seat"),
            models.UniqueConstraint(fields=["league", "game", "player"], name="a_player_plays_once"),
            models.CheckConstraint(condition=Q(seat__gte=1) & Q(seat__lte=MAX_SEATS), name="seat_bounds"),
            models.CheckConstraint(condition=Q(place__isnull=True) | Q(place__gte=1), name="place_bounds"),
            models.CheckConstraint(
                condition=Q(side__isnull=True) | (Q(side__gte=1) & Q(side__lte=MAX_SEATS)), name="side_bounds"
            ),
            models.CheckConstraint(
                condition=Q(score__isnull=True) | (Q(score__gte=-SCORE_LIMIT) & Q(score__lte=SCORE_LIMIT)),
                name="score_is_finite",
            ),
        )

    def __str__(self) -> str:
        return f"{self.seat}. {self.player}"


RESULT_RECORD = Record(
    Result,
    f"seat player=player.handle recorded_as=recorded_as.handle {' '.join(RESULT)}",
    parent="game",
    order_by="seat",
    omit={"side": None},
)
GAME_RECORD = Record(
    Game,
    f"number order_key {' '.join(SHEET)} {' '.join(RECORDED)} replaces=replaces.number results",
    order_by="number",
    omit={"weight": 1.0, "metadata": {}, "withheld": {}},
    children={"results": RESULT_RECORD},
)
#: What an entry of the log leaves out of a recorded game and its results.
USUAL: dict[str, Any] = {**GAME_RECORD.omit, **RESULT_RECORD.omit, "recorded_as": None}
GAME_VOID_LOG = LogTable(
    GAME_RECORD,
    "void games",
    kinds=["game.voided", "game.corrected", "game.restored"],
    key="number",
    payload="number reason=void_reason",
    stated="at=voided_at by=voided_by",
    none=NOT_VOID,
    name=lambda number: phrase("The void mark of game {number}", number=number),
    counted=phrase("in void games, compared with the log"),
)


def list_recorded_values(result: Any) -> tuple[Any, ...]:
    """Return the recorded fields of a result, stored or sent."""
    return RESULT_VALUES(result)
