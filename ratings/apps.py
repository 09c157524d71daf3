"""The Django app of the rating systems and ladders' methods: checks and forms, a thin crust over the sums."""

from django.apps import AppConfig
from django.core.checks import register

from ratings.checks import check_methods, check_systems


class RatingsConfig(AppConfig):
    """Does the sums."""

    name = "ratings"

    def ready(self) -> None:
        """Have ``manage.py check`` look at every rating system and every ladder's method."""
        register(check_systems)
        register(check_methods)
