"""Registers the raw records with the admin site."""

from league.web.organiser import raw_records

__all__ = ["raw_records"]
