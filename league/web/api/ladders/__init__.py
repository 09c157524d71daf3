"""Ladders, periods and editions over the API."""
