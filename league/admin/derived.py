"""Ratings and their history: to look at, never to edit."""

from django.contrib import admin
from django.db import models
from django.http import HttpRequest

from league.admin.base import OwnLeagues, ServiceAdmin
from league.models import Rating, RatingChange


class ReadOnly(ServiceAdmin):
    """What nobody adds or edits."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody adds what is derived."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Nobody edits what is derived."""
        return False


@admin.register(Rating)
class RatingAdmin(ReadOnly):
    """Where players stand."""

    list_select_related = ("league", "player")
    list_filter = (("league", OwnLeagues),)
    search_fields = ("player__handle", "player__name")
    list_display = ("player", "league", "score", "rating", "games", "change", "last_at")


@admin.register(RatingChange)
class RatingChangeAdmin(ReadOnly):
    """The rating history."""

    list_select_related = ("league", "player")
    list_filter = (("league", OwnLeagues),)
    search_fields = ("player__handle", "player__name")
    list_display = ("player", "league", "number", "at", "cause", "before", "change", "after")
