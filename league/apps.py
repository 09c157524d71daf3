"""The Django app of the league."""

from django.apps import AppConfig


class LeagueConfig(AppConfig):
    """Keeps the books."""

    name = "league"
    verbose_name = "Leagues"
