"""Derived data: a pure function of the facts, which can be deleted and replayed.

There are no foreign-key constraints in the database (they took half the time of a rewrite); ``verify`` and
the replay, which deletes and rewrites all rows, ensure that references are valid.
"""

from django.db import models
from django.utils.translation import pgettext_lazy

from league.core.calendar import format_period_key
from league.core.records import Record
from league.models.facts import Game, Player
from league.models.ladders import Ladder, LadderRule
from league.models.leagues import League, LeagueKey

#: The numbers of lines from a change of system and from a new season; adjustments are numbered from 1.
SYSTEM_CHANGE, SEASON_TURN = -1, 0


class ChangeLine(models.Model):
    """One line of the rating history.

    Ordered by (at, order_key, step). ``step`` 1 is the game itself. ``step`` 0 precedes it if the
    system shifted everyone's rating (the pool) since the player's last game, so that in
    every player's history ``before`` equals the ``after`` of the previous line.
    """

    class Cause(models.TextChoices):
        """Why the rating changed."""

        GAME = "game", pgettext_lazy("cause of a change", "Game")
        POOL = "pool", pgettext_lazy("cause of a change", "Pool")

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    game = LeagueKey(Game, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    at = models.DateTimeField(help_text="When the game was played.")
    number = models.PositiveBigIntegerField(help_text="The game's number in the league.")
    order_key = models.PositiveBigIntegerField(help_text="The game's place among games of the same time.")
    step = models.PositiveSmallIntegerField()
    seat = models.PositiveSmallIntegerField()
    cause = models.CharField(max_length=8, choices=Cause.choices)
    games = models.PositiveIntegerField(help_text="The game is the player's n-th in the league.")
    before = models.FloatField()
    change = models.FloatField(help_text="Sum of the explanation's parts; after = before + change.")
    after = models.FloatField()
    state_1 = models.FloatField(default=0.0, help_text="What the system keeps beside the rating, after the game.")
    state_2 = models.FloatField(default=0.0)
    state_3 = models.FloatField(default=0.0)
    performance = models.FloatField(null=True)
    shift = models.FloatField(default=0.0, help_text="The pool's shift after the game.")

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.before:g} → {self.after:g}"


class RatingChange(ChangeLine):
    """One line of the history of the league's ratings."""

    class Meta:
        ordering = ("-at", "-order_key", "-step")
        indexes = (models.Index(fields=["league", "at", "order_key"], name="change_order"),)
        constraints = (models.UniqueConstraint(fields=["league", "player", "games", "step"], name="one_change_a_step"),)


class GamelessLine(models.Model):
    """One line of the rating history without a game: a change of system, a new season, or an adjustment.

    It precedes every game of its time: first a change of system (``number`` -1), then a new season
    (``number`` 0), then adjustments. Only a change of system changes state other than the rating.
    """

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    at = models.DateTimeField()
    number = models.IntegerField(help_text="The adjustment's; 0: the turn of a season; -1: a change of the system.")
    games = models.PositiveIntegerField(help_text="So many games the player had in the league.")
    before = models.FloatField()
    change = models.FloatField()
    after = models.FloatField()
    state_1 = models.FloatField(
        default=0.0, db_default=0.0, help_text="What the system keeps beside the rating, after it."
    )
    state_2 = models.FloatField(default=0.0, db_default=0.0)
    state_3 = models.FloatField(default=0.0, db_default=0.0)
    shift = models.FloatField(default=0.0, db_default=0.0, help_text="The pool's shift as of the player's last game.")

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.before:g} → {self.after:g}"

    @property
    def cause(self) -> str:
        """Return the cause: "system", "season" or "adjustment"."""
        return {SYSTEM_CHANGE: "system", SEASON_TURN: "season"}.get(self.number, "adjustment")


class GamelessChange(GamelessLine):
    """One line without a game of the history of the league's ratings."""

    class Meta:
        ordering = ("-at", "-number")
        indexes = (models.Index(fields=["league", "at"], name="gameless_change_order"),)
        constraints = (
            models.UniqueConstraint(fields=["league", "player", "at", "number"], name="one_gameless_change"),
        )


class RatingRow(models.Model):
    """A player's current rating."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    rating = models.FloatField(help_text="With what the pool has shifted since the last game.")
    settled = models.FloatField(help_text="The rating as of the last line of the player's history.")
    shift = models.FloatField(default=0.0, help_text="The pool's shift as of the player's last game.")
    state_1 = models.FloatField(default=0.0)
    state_2 = models.FloatField(default=0.0)
    state_3 = models.FloatField(default=0.0)
    games = models.PositiveIntegerField()
    score = models.FloatField(help_text="The system's display score; the leaderboard's order.")
    peak = models.FloatField(help_text="The highest rating after a game.")
    change = models.FloatField(help_text="The change of the last game.")
    last_at = models.DateTimeField(help_text="When the last game was played.")
    last_number = models.PositiveBigIntegerField()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.rating:g}"


class Rating(RatingRow):
    """A player's current rating in the league."""

    class Meta:
        ordering = ("-score", "player")
        indexes = (models.Index(fields=["league", "-score"], name="leaderboard_order"),)
        constraints = (models.UniqueConstraint(fields=["league", "player"], name="one_rating_a_player"),)


class Period(models.Model):
    """One period of a ladder, such as a month. Whether it is closed follows from editions and decisions."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_index=False, related_name="+")
    ladder = LeagueKey(Ladder, on_delete=models.CASCADE, related_name="periods")
    rule = LeagueKey(LadderRule, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=24, help_text="Such as 2024-03, 2024-Q1, 2024, all.")
    title = models.CharField(max_length=40)
    starts_at = models.DateTimeField(help_text="Resolved in the league's zone when the period opened.")
    ends_at = models.DateTimeField(help_text="The period ends before this instant.")
    closed = models.BooleanField(default=False)
    awaits = models.BooleanField(default=False, help_text="It is closed, and its games say something else now.")

    class Meta:
        ordering = ("ladder", "-starts_at")
        constraints = (
            models.UniqueConstraint(fields=["league", "ladder", "key"], name="one_period_a_key"),
            models.UniqueConstraint(fields=["league", "ladder", "starts_at"], name="one_period_an_instant"),
            models.CheckConstraint(condition=models.Q(ends_at__gt=models.F("starts_at")), name="periods_take_time"),
            models.CheckConstraint(
                condition=models.Q(awaits=False) | models.Q(closed=True), name="only_closed_periods_await_a_decision"
            ),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """Return its name in the reader's language; ``title`` is in English, for data."""
        return format_period_key(self.key)


PERIOD_RECORD = Record(
    Period, "ladder=ladder.slug rule=rule.from_date key title starts_at ends_at", order_by="ladder starts_at"
)


class Standing(models.Model):
    """A player's line in a period. Ranks are not stored: one game could change thousands of them."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    # The services delete these with the period: Django would query them without the league and scan the whole table.
    period = LeagueKey(
        Period, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="standings"
    )
    player = models.ForeignKey(Player, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    score = models.FloatField(null=True)
    games = models.PositiveIntegerField(help_text="The games of the period that count.")
    why_not = models.CharField(max_length=200, blank=True, help_text="Why the player is not qualified.")
    value_1 = models.FloatField(null=True, help_text="The figures of the method's columns.")
    value_2 = models.FloatField(null=True)
    value_3 = models.FloatField(null=True)
    value_4 = models.FloatField(null=True)
    value_5 = models.FloatField(null=True)
    value_6 = models.FloatField(null=True)

    class Meta:
        ordering = ("period", "-score")
        constraints = (models.UniqueConstraint(fields=["league", "period", "player"], name="one_standing_a_player"),)

    def __str__(self) -> str:
        return "–" if self.score is None else f"{self.score:g}"
