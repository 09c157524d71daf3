"""Fields that a league declares for its games, seats and players, and the values of players.

Values of games and seats are stored with the game: those that everyone may read in its details, texts and values that
not everyone may read in ``withheld``. ``GameValue`` and ``PlayerValue`` are derived from the facts: a row for each
value, by which games and boards are filtered.
"""

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy, pgettext_lazy

from league.core.log_tables import LogTable
from league.core.records import Record
from league.core.text.stored_messages import phrase
from league.models.facts import Game, Player
from league.models.leagues import League, LeagueKey

MAX_KEY_LENGTH, MAX_TITLE_LENGTH, MAX_VALUE_LENGTH = 40, 80, 200
KEY_PATTERN = "[a-z][a-z0-9_]*"


class DeclaredField(models.Model):
    """A field that a league declares. Key, type and visibility never change; a field is retired, not deleted."""

    class Of(models.TextChoices):
        """What has a value of the field."""

        GAME = "game", pgettext_lazy("what has a field", "Games")
        SEAT = "seat", pgettext_lazy("what has a field", "Seats of games")
        PLAYER = "player", pgettext_lazy("what has a field", "Players")

    class Type(models.TextChoices):
        """The values of a field."""

        CHOICE = "choice", pgettext_lazy("type of a field", "One of several choices")
        NUMBER = "number", pgettext_lazy("type of a field", "Number")
        TEXT = "text", pgettext_lazy("type of a field", "Text")
        YES_NO = "yes_no", pgettext_lazy("type of a field", "Yes or no")
        DATE = "date", pgettext_lazy("type of a field", "Date")

    class Visible(models.TextChoices):
        """Who may read the values of a field."""

        ALL = "all", pgettext_lazy("who may read a field", "Everyone who sees the league")
        MEMBERS = "members", pgettext_lazy("who may read a field", "Members of the league")
        ORGANISERS = "organisers", pgettext_lazy("who may read a field", "Organisers")

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_index=False, related_name="declared_fields")
    key = models.CharField(max_length=MAX_KEY_LENGTH, validators=[RegexValidator(rf"^{KEY_PATTERN}\Z")])
    title = models.CharField(max_length=MAX_TITLE_LENGTH)
    of = models.CharField(max_length=6, choices=Of.choices)
    type = models.CharField(max_length=6, choices=Type.choices)
    choices = models.JSONField(default=list, blank=True, help_text=gettext_lazy("The choices, in their order."))
    required = models.BooleanField(default=False)
    visible = models.CharField(max_length=10, choices=Visible.choices, default=Visible.ALL)
    from_date = models.DateField(
        null=True, blank=True, help_text=gettext_lazy("The first day with values. Empty: all days.")
    )
    retired = models.BooleanField(default=False, help_text=gettext_lazy("Stored values stay; new ones are refused."))
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.CharField(max_length=200, blank=True, editable=False)

    class Meta:
        ordering = ("league", "pk")
        constraints = (
            models.UniqueConstraint(fields=["league", "key"], name="one_declared_field_a_key"),
            models.CheckConstraint(condition=~Q(key="") & ~Q(title=""), name="declared_field_is_named"),
            models.CheckConstraint(condition=Q(of__in=["game", "seat", "player"]), name="declared_field_of"),
            models.CheckConstraint(
                condition=Q(type__in=["choice", "number", "text", "yes_no", "date"]), name="declared_field_type"
            ),
            models.CheckConstraint(
                condition=Q(visible__in=["all", "members", "organisers"]), name="declared_field_visible"
            ),
        )

    def __str__(self) -> str:
        return self.title

    @property
    def is_asked_for(self) -> bool:
        """Return whether score sheets may ask for it: who records a game need not be an organiser."""
        return self.visible != self.Visible.ORGANISERS

    @property
    def can_be_required(self) -> bool:
        """Return whether a value can be required: only organisers set those of players, sheets ask for the others."""
        return self.of == self.Of.PLAYER or self.is_asked_for

    @property
    def is_withheld(self) -> bool:
        """Return whether values are withheld from logs and exports for everyone."""
        return self.visible != self.Visible.ALL or self.type == self.Type.TEXT


FIELD_RECORD = Record(
    DeclaredField,
    "key title of field_type=type choices required visible from_date retired created_at created_by",
)
FIELD_LOG = LogTable(
    FIELD_RECORD,
    "declared fields",
    kinds=["field.declared", "field.changed"],
    key="key",
    # A line of an export has its own type.
    renamed="from=from_date type=field_type",
    stated="by=created_by created_at",
    name=lambda key: phrase("The declared field {field}", field=key),
    counted=phrase("in declared fields, compared with the log"),
)


class PlayerFields(models.Model):
    """The values of a player in a league; after a merge, those of both remain, and the survivor's count."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_index=False, related_name="player_fields")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="declared_fields")
    shown = models.JSONField(default=dict, blank=True, help_text="Values that everyone may read, by key.")
    withheld = models.JSONField(default=dict, blank=True, help_text="Texts and other values.")

    class Meta:
        ordering = ("league", "player")
        verbose_name_plural = gettext_lazy("fields of players")
        constraints = (models.UniqueConstraint(fields=["league", "player"], name="fields_once_a_player"),)

    def __str__(self) -> str:
        return str(self.player)


PLAYER_FIELDS_RECORD = Record(
    PlayerFields, "player=player.handle shown withheld", order_by="player__handle", omit={"shown": {}, "withheld": {}}
)
PLAYER_FIELDS_LOG = LogTable(
    PLAYER_FIELDS_RECORD,
    "fields of players",
    kinds=["player.fields_set"],
    key="player",
    name=lambda handle: phrase("The fields of {player}", player=handle),
    counted=phrase("in fields of players, compared with the log"),
)


class GameValue(models.Model):
    """A value of a game or (seat from 1) of one of its seats."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    field = LeagueKey(DeclaredField, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    value = models.CharField(max_length=MAX_VALUE_LENGTH)
    game = LeagueKey(Game, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    seat = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ("game", "seat")
        indexes = (models.Index(fields=["league", "field", "value", "game"], name="games_by_value"),)
        constraints = (models.UniqueConstraint(fields=["league", "game", "field", "seat"], name="one_value_a_seat"),)

    def __str__(self) -> str:
        return self.value


class PlayerValue(models.Model):
    """A value of a player."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    field = LeagueKey(DeclaredField, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    value = models.CharField(max_length=MAX_VALUE_LENGTH)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")

    class Meta:
        ordering = ("player",)
        indexes = (models.Index(fields=["league", "field", "value", "player"], name="players_by_value"),)
        constraints = (models.UniqueConstraint(fields=["league", "player", "field"], name="one_value_a_player"),)

    def __str__(self) -> str:
        return self.value
