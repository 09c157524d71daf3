"""The admin site: where organisers record, correct and set up. It translates and decides nothing."""

from league.admin import derived, games, jobs, ladders, leagues, log, players, tokens

__all__ = ["derived", "games", "jobs", "ladders", "leagues", "log", "players", "tokens"]
