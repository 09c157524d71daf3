"""Responses about ladders: dicts with unrounded numbers."""

from datetime import datetime
from typing import Any

from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.reverse import reverse

from league.core.dry_runs.services.diff import serialize_lines, serialize_winner_change
from league.core.ladders.selectors.ladders import (
    Row,
    compute_differences,
    find_rule_to_show,
    list_winners,
    load_ladder_rules,
)
from league.models import Decision, Edition, Ladder, LadderRule, League, Period
from league.web.api.core.schemas import PersonShape, Shape, render_fields


class ColumnShape(Shape):
    """A number that a method shows next to the score."""

    key = s.CharField()
    help = s.CharField()
    decimals = s.IntegerField()
    label_ = s.CharField()


class PresetShape(Shape):
    """A named set of parameters; ``values`` are all of them."""

    key = s.CharField()
    title = s.CharField()
    since = s.CharField()
    parameters = s.DictField()
    values = s.DictField()


class RulingShape(Shape):
    """How a source is read if it is silent or contradicts itself."""

    number = s.CharField()
    title = s.CharField()
    text = s.CharField()
    parameter = s.CharField()


class CheckShape(Shape):
    """A number printed in the source, and the same number as computed here."""

    title = s.CharField()
    expected = s.FloatField()
    computed = s.FloatField()
    tolerance = s.FloatField()
    printed = s.BooleanField()


class MethodScoreShape(Shape):
    """The score by which a ladder ranks."""

    label_ = s.CharField()


class MethodShape(Shape):
    """A ladder's ranking method."""

    key = s.CharField()
    title = s.CharField()
    summary = s.CharField()
    formula = s.CharField()
    columns = ColumnShape(many=True)
    tie_breaks = s.ListField(child=s.CharField())
    parameters = s.DictField()
    presets = PresetShape(many=True)
    rulings = RulingShape(many=True)
    examples = s.ListField(child=s.DictField())
    checks = CheckShape(many=True)
    score = MethodScoreShape()
    decimals = s.IntegerField(help_text="Digits after the point that pages show; the API never rounds.")
    source_ = s.CharField()


class RankingShape(Shape):
    """A ladder's ranking rule from a day on; ``to`` is the last day of a dated ladder."""

    from_ = s.DateField()
    to = s.DateField(allow_null=True)
    method = s.CharField()
    cadence = s.ChoiceField(choices=LadderRule.Cadence.choices)
    parameters = s.DictField()


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


class WinnerShape(PersonShape):
    """The players at rank 1."""

    score = s.FloatField(allow_null=True)


class EditionShape(Shape):
    """An immutable publication of a period."""

    number = s.IntegerField()
    published_at = s.DateTimeField()
    due_at = s.DateTimeField(
        help_text="When it was due: the league's grace time after the period's end and the last change to its games. "
        "Never later than `published_at`, which an organiser can make earlier."
    )
    reason = s.CharField()
    log_position = s.IntegerField(help_text="The position of the edition's own entry in `changes/`.")
    sha256 = s.CharField(help_text="SHA-256 of the document as published.")
    redacted_sha256 = s.CharField(
        allow_null=True,
        help_text="SHA-256 of the current document if a name was removed from it; null if it is unchanged.",
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
    """A row of a ranking; ``rank`` is null if the player is not qualified."""

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
    """An organiser's decision about a closed period."""

    kind = s.ChoiceField(choices=Decision.Kind.choices)
    edition = s.IntegerField()
    at = s.DateTimeField()
    reason = s.CharField()


class FullPeriodShape(PeriodShape):
    """A period with its ranking: the last edition's if it is closed, otherwise the live ranking."""

    edition = s.IntegerField(allow_null=True)
    standings = StandingShape(many=True)
    editions = EditionShape(many=True)
    decisions = DecisionShape(many=True)
    next = s.URLField(allow_null=True)


class DocumentRuleShape(Shape):
    """A rule of the league in an edition."""

    from_ = s.DateField()
    system = s.CharField()
    parameters = s.DictField()


class DocumentShape(Shape):
    """The document of an edition; the SHA-256 of its canonical JSON (RFC 8785) in UTF-8 is the edition's."""

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
        help_text="The position in `changes/` of the edition's own entry; the edition covers all entries before it."
    )
    games = s.IntegerField()
    standings = StandingShape(many=True)


class StandingDiffShape(Shape):
    """A row of a ranking before and after."""

    ladder = s.CharField()
    period = s.CharField()
    player = s.CharField()
    name = s.CharField()
    rank_before = s.IntegerField(allow_null=True)
    rank_after = s.IntegerField(allow_null=True)
    score_before = s.FloatField(allow_null=True)
    score_after = s.FloatField(allow_null=True)


class WinnersDiffShape(Shape):
    """A period whose winners changed."""

    ladder = s.CharField()
    period = s.CharField()
    before = WinnerShape(many=True)
    after = WinnerShape(many=True)


class PeriodDiffShape(Shape):
    """The differences between two rankings of a period."""

    ladder = s.CharField()
    period = s.CharField()
    before = s.CharField()
    after = s.CharField()
    standings = StandingDiffShape(many=True)
    winners_changed = WinnersDiffShape(many=True)


def render_ranking(rule: LadderRule) -> dict[str, Any]:
    """Return a rule of a ladder."""
    return render_fields(RankingShape, rule, from_=rule.from_date, to=rule.to_date)


def render_ladder(request: Request, league: League, ladder: Ladder, now: datetime) -> dict[str, Any]:
    """Return a ladder."""
    current = find_rule_to_show(ladder, now, league)
    return render_fields(
        LadderShape,
        ladder,
        league=league.slug,
        method=current.method,
        cadence=current.cadence,
        parameters=current.parameters,
        rules=[render_ranking(rule) for rule in load_ladder_rules(ladder)],
        url=reverse("api:ladder", [league.slug, ladder.slug], request=request),
    )


def render_period(request: Request, league: League, ladder: Ladder, period: Period) -> dict[str, Any]:
    """Return a period without its ranking."""
    return render_fields(
        PeriodShape,
        period,
        period=period.key,
        ladder=ladder.slug,
        status="closed" if period.closed else "open",
        awaits_decision=period.awaits,
        method=period.rule.method,
        parameters=period.rule.parameters,
        url=reverse("api:period", [league.slug, ladder.slug, period.key], request=request),
    )


def render_edition(request: Request, league: League, ladder: Ladder, edition: Edition) -> dict[str, Any]:
    """Return an edition without its document."""
    names = ("number", "published_at", "reason", "log_position", "sha256", "winners")
    url = reverse("api:edition", [league.slug, ladder.slug, edition.key, edition.number], request=request)
    return {
        **{name: getattr(edition, name) for name in names},
        "redacted_sha256": edition.redacted_sha256 or None,
        "due_at": edition.due_at,
        "url": url,
    }


def render_decision(decision: Decision) -> dict[str, Any]:
    """Return a decision."""
    return render_fields(DecisionShape, decision)


def render_period_diff(
    ladder: Ladder, period: Period, names: tuple[str, str], rows: tuple[list[Row], list[Row]]
) -> Any:
    """Return the differences between two rankings of a period; each is an edition's number or “live”."""
    before, after = rows
    return {
        "ladder": ladder.slug,
        "period": period.key,
        "before": names[0],
        "after": names[1],
        "standings": serialize_lines(ladder.slug, period.key, compute_differences(before, after)),
        "winners_changed": serialize_winner_change(ladder.slug, period.key, list_winners(before), list_winners(after)),
    }
