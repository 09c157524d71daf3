"""The shapes of answers about ladders; ``render`` builds them."""

from typing import Any

from rest_framework import serializers as s

from league.api.core.schemas import Shape
from league.models import Decision, LadderRule


class ColumnShape(Shape):
    """A figure that a method shows beside the score."""

    key = s.CharField()
    help = s.CharField()
    decimals = s.IntegerField()

    def get_fields(self) -> dict[str, Any]:
        """Call a field ``label``, which fields keep for themselves."""
        return {**super().get_fields(), "label": s.CharField()}


class MethodShape(Shape):
    """A ladder's method, as its file describes it."""

    key = s.CharField()
    title = s.CharField()
    summary = s.CharField()
    formula = s.CharField()
    columns = ColumnShape(many=True)
    tie_breaks = s.ListField(child=s.CharField())
    parameters = s.DictField()
    presets = s.ListField(child=s.DictField())
    rulings = s.ListField(child=s.DictField())
    examples = s.ListField(child=s.DictField())
    checks = s.ListField(child=s.DictField(), help_text="Single figures that the source prints.")
    score = s.DictField(help_text="What the ladder ranks by.")
    decimals = s.IntegerField(help_text="Digits after the point that pages show; the API never rounds.")

    def get_fields(self) -> dict[str, Any]:
        """Call a field ``source``, which fields keep for themselves."""
        return {**super().get_fields(), "source": s.CharField()}


class RankingShape(Shape):
    """How a ladder ranks from a day on; ``to`` is the last day of a dated one."""

    to = s.DateField(allow_null=True)
    method = s.CharField()
    cadence = s.ChoiceField(choices=LadderRule.Cadence.choices)
    parameters = s.DictField()

    def get_fields(self) -> dict[str, Any]:
        """Call the first field ``from``, which Python keeps for itself."""
        return {"from": s.DateField(), **super().get_fields()}


class LadderShape(Shape):
    """A ladder; method, cadence and parameters are those of the rule in force."""

    slug = s.CharField()
    title = s.CharField()
    league = s.CharField()
    method = s.CharField()
    cadence = s.ChoiceField(choices=LadderRule.Cadence.choices)
    parameters = s.DictField()
    ended_on = s.DateField(allow_null=True)
    rules = RankingShape(many=True)
    url = s.URLField()


class WinnerShape(Shape):
    """Who shares the first rank."""

    player = s.CharField()
    name = s.CharField()
    score = s.FloatField(allow_null=True)


class EditionShape(Shape):
    """An immutable publication of a period."""

    number = s.IntegerField()
    published_at = s.DateTimeField()
    due_at = s.DateTimeField(
        help_text="When it was due: the league's grace time after the period's end and the last entry that touched it. "
        "Where a person published it before that, it is `published_at`; it is never later."
    )
    reason = s.CharField()
    log_position = s.IntegerField(help_text="The position of the edition's own entry in `changes/`.")
    sha256 = s.CharField(help_text="Of the document as it was published.")
    redacted_sha256 = s.CharField(
        allow_null=True,
        help_text="Of the document as it is served since a name was taken out of it; null: it is as it was published.",
    )
    winners = WinnerShape(many=True)
    url = s.URLField()


class PeriodShape(Shape):
    """A period of a ladder."""

    period = s.CharField()
    title = s.CharField()
    ladder = s.CharField()
    status = s.ChoiceField(choices=["open", "closed"])
    starts_at = s.DateTimeField()
    ends_at = s.DateTimeField()
    awaits_decision = s.BooleanField()
    method = s.CharField()
    parameters = s.DictField()
    url = s.URLField()


class StandingShape(Shape):
    """A line of a ranking; ``rank`` is null where the player is not qualified."""

    rank = s.IntegerField(allow_null=True)
    player = s.CharField()
    name = s.CharField()
    score = s.FloatField(allow_null=True)
    games = s.IntegerField()
    columns = s.DictField(child=s.FloatField(allow_null=True))
    qualified = s.BooleanField()
    why_not = s.CharField()
    decided_by = s.CharField()


class DecisionShape(Shape):
    """What an organiser decided about a closed period."""

    kind = s.ChoiceField(choices=Decision.Kind.choices)
    edition = s.IntegerField()
    at = s.DateTimeField()
    reason = s.CharField()


class FullPeriodShape(PeriodShape):
    """A period with its ranking: of the last edition where it is closed, live where it is open."""

    edition = s.IntegerField(allow_null=True)
    standings = StandingShape(many=True)
    editions = EditionShape(many=True)
    decisions = DecisionShape(many=True)
    next = s.URLField(allow_null=True)


class DocumentRuleShape(Shape):
    """A rule of the league as an edition tells it."""

    system = s.CharField()
    parameters = s.DictField()

    def get_fields(self) -> dict[str, Any]:
        """Call the first field ``from``, which Python keeps for itself."""
        return {"from": s.DateField(), **super().get_fields()}


class DocumentShape(Shape):
    """What an edition says; its canonical JSON (RFC 8785) in UTF-8 has the edition's SHA-256."""

    league = s.CharField()
    ladder = s.CharField()
    title = s.CharField()
    period = s.CharField()
    edition = s.IntegerField()
    published_at = s.DateTimeField()
    reason = s.CharField()
    time_zone = s.CharField()
    starts_at = s.DateTimeField()
    ends_at = s.DateTimeField()
    cadence = s.ChoiceField(choices=LadderRule.Cadence.choices)
    method = s.CharField()
    parameters = s.DictField()
    rules = DocumentRuleShape(many=True)
    log_position = s.IntegerField(
        help_text="The position in `changes/` of the edition's own entry: it rests on all entries before."
    )
    games = s.IntegerField()
    standings = StandingShape(many=True)


class StandingDiffShape(Shape):
    """A line of a ranking before and after."""

    ladder = s.CharField()
    period = s.CharField()
    player = s.CharField()
    name = s.CharField()
    rank_before = s.IntegerField(allow_null=True)
    rank_after = s.IntegerField(allow_null=True)
    score_before = s.FloatField(allow_null=True)
    score_after = s.FloatField(allow_null=True)


class WinnersDiffShape(Shape):
    """A period that has other winners."""

    ladder = s.CharField()
    period = s.CharField()
    before = WinnerShape(many=True)
    after = WinnerShape(many=True)


class PeriodDiffShape(Shape):
    """How two rankings of one period differ."""

    ladder = s.CharField()
    period = s.CharField()
    before = s.CharField()
    after = s.CharField()
    standings = StandingDiffShape(many=True)
    winners_changed = WinnersDiffShape(many=True)
