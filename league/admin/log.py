"""The log of a league: to look at, never to edit."""

from django.contrib import admin

from league.admin.base import OwnLeagues
from league.admin.derived import ReadOnly
from league.models import LogEntry


@admin.register(LogEntry)
class LogEntryAdmin(ReadOnly):
    """Every change of a league's books, the newest first."""

    list_display = ("position", "league", "at", "by", "kind", "payload")
    list_display_links = None
    list_select_related = ("league",)
    list_filter = (("league", OwnLeagues),)
    search_fields = ("by", "kind")
