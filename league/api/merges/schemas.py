"""The shapes of answers about merges; ``render`` builds them."""

from rest_framework import serializers as s

from league.api.core.schemas import Shape
from league.api.dry_runs.schemas import DiffShape


class MergeShape(Shape):
    """A merge of two players; ``undone_at`` is null while it is in force."""

    player = s.CharField()
    into = s.CharField()
    at = s.DateTimeField()
    by = s.CharField()
    undone_at = s.DateTimeField(allow_null=True)
    undone_by = s.CharField()


class LeagueDiffShape(DiffShape):
    """Exactly what committing would do in one league."""

    league = s.CharField()


class LeagueDiffsShape(Shape):
    """Exactly what committing would do, by league."""

    leagues = LeagueDiffShape(many=True)
