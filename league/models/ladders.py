"""Ladders: named ways to rank the games of a period, and their dated rules. They are facts, like those in ``facts``."""

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from league.core.log_tables import LogTable
from league.core.records import Record
from league.core.text.stored_messages import phrase
from league.models.leagues import League, LeagueKey


class Ladder(models.Model):
    """A named way to rank the games of a period. Its rules define how it ranks."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="ladders")
    slug = models.SlugField(max_length=50, validators=[RegexValidator(r"^[a-z0-9][a-z0-9_-]*\Z")])
    title = models.CharField(max_length=120)
    ended_on = models.DateField(null=True, blank=True, help_text=gettext_lazy("No period begins on or after this day."))
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.CharField(max_length=200, blank=True, editable=False)

    class Meta:
        ordering = ("league", "pk")
        constraints = (
            models.UniqueConstraint(fields=["league", "slug"], name="one_ladder_a_slug"),
            models.CheckConstraint(condition=~Q(slug="") & ~Q(title=""), name="ladder_is_named"),
        )

    def __str__(self) -> str:
        return self.title


class LadderRule(models.Model):
    """A ladder's dated choice of method, parameters and cadence, for periods that begin on or after the date."""

    class Cadence(models.TextChoices):
        """The length of a period."""

        WEEK = "week", pgettext_lazy("length of a period", "Week")
        MONTH = "month", pgettext_lazy("length of a period", "Month")
        QUARTER = "quarter", pgettext_lazy("length of a period", "Quarter")
        YEAR = "year", pgettext_lazy("length of a period", "Year")
        ALL_TIME = "all_time", pgettext_lazy("length of a period", "All time")
        DATED = "dated", pgettext_lazy("length of a period", "Once, between two dates")

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_index=False, related_name="+")
    ladder = LeagueKey(Ladder, on_delete=models.CASCADE, related_name="rules")
    from_date = models.DateField(help_text=gettext_lazy("The first day of the first period that it ranks."))
    to_date = models.DateField(null=True, blank=True, help_text=gettext_lazy("The last day of a dated ladder."))
    method = models.CharField(max_length=40)
    parameters = models.JSONField(default=dict, blank=True)
    cadence = models.CharField(max_length=8, choices=Cadence.choices)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.CharField(max_length=200, blank=True, editable=False)

    class Meta:
        ordering = ("ladder", "from_date")
        constraints = (
            models.UniqueConstraint(fields=["league", "ladder", "from_date"], name="one_ladder_rule_a_day"),
            models.CheckConstraint(
                condition=Q(cadence__in=["week", "month", "quarter", "year", "all_time", "dated"]),
                name="ladder_rule_cadence",
            ),
            models.CheckConstraint(
                condition=Q(cadence="dated", to_date__gte=F("from_date")) | (~Q(cadence="dated") & Q(to_date=None)),
                name="only_dated_ladders_have_a_last_day",
            ),
        )

    def __str__(self) -> str:
        return _("{method} from {day}").format(method=self.method, day=self.from_date)


LADDER_RULE_RECORD = Record(
    LadderRule,
    "ladder=ladder.slug from_date to_date method parameters cadence created_at created_by",
    parent="ladder",
    order_by="from_date",
)
LADDER_RECORD = Record(
    Ladder, "slug title ended_on created_at created_by rules", children={"rules": LADDER_RULE_RECORD}
)
LADDER_LOG = LogTable(
    LADDER_RECORD,
    "ladders",
    kinds=["ladder.created", "ladder.changed"],
    key="ladder",
    payload="ladder=slug title ended_on",
    stated="by=created_by created_at",
    name=lambda slug: phrase("The ladder {ladder}", ladder=slug),
    counted=phrase("in ladders, compared with the log"),
)
LADDER_RULE_LOG = LogTable(
    LADDER_RULE_RECORD,
    "rules of ladders",
    kinds=["ladder.rule_adopted"],
    key="ladder from",
    payload="ladder from=from_date to=to_date method cadence parameters",
    stated="by=created_by created_at",
    name=lambda slug, day: phrase("The rule of {ladder} from {day}", ladder=slug, day=day),
    counted=phrase("in rules of ladders, compared with the log"),
)
