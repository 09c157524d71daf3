"""The shapes of what an import did, or would do."""

from rest_framework import serializers as s

from league.api.core.schemas import Shape
from league.api.dry_runs.schemas import DiffShape


class ReportShape(Shape):
    """What an import did; ``known`` games were there already, ``replayed`` is 0 where a worker rates them later."""

    games = s.IntegerField()
    results = s.IntegerField()
    known = s.IntegerField()
    created_players = s.IntegerField()
    replayed = s.IntegerField()
    ignored = s.ListField(child=s.CharField(), help_text="Columns that say nothing about games of the league's system.")


class ImportDiffShape(ReportShape, DiffShape):
    """What an import would do, and would change."""
