"""The Django app of the rating systems: checks and forms, a thin crust over the sums."""

from django.apps import AppConfig


class RatingsConfig(AppConfig):
    """Does the sums."""

    name = "ratings"
