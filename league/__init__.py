"""Keeps the league's data: leagues, players, games and everything that is derived from them."""

from league.celery import app as celery_app

__all__ = ["celery_app"]
