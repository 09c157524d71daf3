"""The Django app of the core."""

from django.apps import AppConfig
from django.core.checks import register
from django.utils.translation import gettext_lazy


class LeagueConfig(AppConfig):
    """Players, games, ladders and the rating history."""

    name = "league"
    verbose_name = gettext_lazy("Leagues")

    def ready(self) -> None:
        """Compile lookups of lists as ``core.db.membership`` does, and register the check of records."""
        from league.core.db import membership
        from league.core.record_checks import check_records

        membership.install()
        register(check_records)
