"""Warnings before an entry gets a bye with points: what the regulations say of it."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from league.apps.competitions.models import Fixture
from league.apps.competitions.services.regulations import ACKNOWLEDGED, CONFIRMED, RuleWarning


def list_bye_warnings(byes: Sequence[Mapping[str, Any]], before: Sequence[Mapping[str, Any]] = ()) -> list[RuleWarning]:
    """Return what is warned of in new byes of an entry: a second half-point bye, and each full-point bye."""
    new = [bye for bye in byes if bye not in before]
    warnings = []
    halves = sum(bye["kind"] == Fixture.Kind.HALF_BYE for bye in byes)
    if halves > 1 and any(bye["kind"] == Fixture.Kind.HALF_BYE for bye in new):
        template = _("With this one the entry has {count} half-point byes.")
        warnings.append(RuleWarning("second_half_bye", CONFIRMED, template.format(count=halves), "/byes"))
    for bye in new:
        if bye["kind"] == Fixture.Kind.FULL_BYE:
            template = _("Round {round}: full-point byes are deprecated. The tournament report names it.")
            sentence = template.format(round=bye["round"])
            warnings.append(RuleWarning("full_bye", ACKNOWLEDGED, sentence, "/byes"))
    return warnings
