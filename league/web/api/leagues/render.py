"""Responses about leagues and their rules."""

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.reverse import reverse

from league.core.text.board_words import PLAYERS
from league.models import League, Rule
from league.models.emblem_names import CHARGE_CHOICES, COLOUR_CHOICES, DIVISION_CHOICES
from league.models.leagues import SETTINGS, build_setting_field
from league.web.api.core.inputs import WholeNumberField
from league.web.api.core.schemas import Shape, build_output_field
from ratings.contract.parameters import NumberParameter, OptionalNumber, WordParameter
from ratings.contract.set_scores import SetRule

#: Field of the emblem -> setting of the league.
EMBLEM = {"field": "division", "symbol": "charge", "colour": "colour"}


class SeasonShape(Shape):
    """When seasons begin, and how far ratings then move towards the starting rating."""

    days = s.ListField(child=s.CharField())
    pull = s.FloatField()


def build_set_field(name: str, **options: Any) -> s.Field[Any, Any, Any, Any]:
    """Return the field of a value of a rule's sets."""
    kind = SetRule.parameters()[name]
    help_text = str(kind.help)
    if isinstance(kind, WordParameter):
        return s.ChoiceField(choices=[word for word, _ in kind.options], help_text=help_text, **options)
    assert isinstance(kind, NumberParameter), "sets have numbers and words only"
    low, high = int(kind.low), int(kind.high)
    allow_null = isinstance(kind, OptionalNumber)
    return WholeNumberField(min_value=low, max_value=high, allow_null=allow_null, help_text=help_text, **options)


class SetsShape(Shape):
    """How the sets of a match count."""

    def get_fields(self) -> dict[str, Any]:
        """Return a field for each parameter."""
        return {name: build_set_field(name) for name in SetRule.parameters()}


class RuleShape(Shape):
    """A dated rule; ``season`` is present if the rule has seasons, ``sets`` if its games may have sets."""

    from_ = s.DateField()
    system = s.CharField()
    parameters = s.DictField()
    start = s.ChoiceField(
        choices=Rule.Start.values,
        help_text="Where ratings start if this rule changes the system: as if all earlier games had been rated by it, "
        "or from scratch.",
    )
    season = SeasonShape(required=False)
    sets = SetsShape(required=False)


class EmblemShape(Shape):
    """The emblem: the division of its field, its symbol and colour; auto: derived from the slug."""

    field = s.ChoiceField(choices=DIVISION_CHOICES)
    symbol = s.ChoiceField(choices=CHARGE_CHOICES)
    colour = s.ChoiceField(choices=COLOUR_CHOICES)


@extend_schema_serializer(deprecate_fields=["division", "charge"])
class LeagueShape(Shape):
    """A league with the rule in force."""

    slug = s.CharField()
    emblem = EmblemShape()
    division = s.ChoiceField(choices=DIVISION_CHOICES, help_text="The field of the emblem.")
    charge = s.ChoiceField(choices=CHARGE_CHOICES, help_text="The symbol of the emblem.")
    rule = RuleShape(allow_null=True)
    url = s.URLField()

    def get_fields(self) -> dict[str, Any]:
        """Insert the settings between the slug and the rule."""
        fields = super().get_fields()
        settings = {name: fields.get(name) or build_output_field(build_setting_field(name)) for name in SETTINGS}
        settings["played_by"].required = False  # left out for players
        return {"slug": fields.pop("slug"), **settings, **{name: fields[name] for name in ("emblem", "rule", "url")}}


def render_rule(rule: Rule | None) -> dict[str, Any] | None:
    """Return a rule."""
    if rule is None:
        return None
    body = {"from": rule.from_date, "system": rule.system, "parameters": rule.parameters, "start": rule.start}
    return {**body, **{name: value for name in ("season", "sets") if (value := getattr(rule, name))}}


def render_league(request: Request, league: League, rule: Rule | None) -> dict[str, Any]:
    """Return a league with the rule in force."""
    settings = {name: getattr(league, name) for name in ("slug", *SETTINGS)}
    if league.played_by == PLAYERS:
        del settings["played_by"]
    return {
        **settings,
        "emblem": {name: getattr(league, setting) for name, setting in EMBLEM.items()},
        "rule": render_rule(rule),
        "url": reverse("api:league", [league.slug], request=request),
    }
