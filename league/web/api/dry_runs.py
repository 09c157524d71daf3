"""Shapes of the diff of a dry run; ``core.dry_runs.diff.serialize`` builds them."""

from rest_framework import serializers as s

from league.web.api.core.schemas import PersonShape, Shape
from league.web.api.ladders.render import StandingDiffShape, WinnersDiffShape


class RatingDiffShape(PersonShape):
    """A player's rating before and after."""

    before = s.FloatField(allow_null=True)
    after = s.FloatField(allow_null=True)


class ClosedShape(Shape):
    """A closed period for which the organiser would have to decide."""

    ladder = s.CharField()
    period = s.CharField()


class DiffShape(Shape):
    """The exact effect of the change."""

    games_replayed = s.IntegerField()
    ratings = RatingDiffShape(many=True)
    standings = StandingDiffShape(many=True)
    closed_periods = ClosedShape(many=True)
    winners_changed = WinnersDiffShape(many=True)
