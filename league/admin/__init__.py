"""The admin site: where organisers record, correct and set up. It translates and decides nothing."""

from django.contrib import admin

from league.admin import derived, games, jobs, ladders, leagues, log, players, tokens

__all__ = ["derived", "games", "jobs", "ladders", "leagues", "log", "players", "tokens"]

admin.site.site_header = "Rungs"
admin.site.site_title = "Rungs"
admin.site.index_title = "Organise"
admin.site.site_url = "/"
