"""Keeps the books: leagues, players, games and everything that is derived from them."""

from league.celery import app as celery_app

__all__ = ["celery_app"]
