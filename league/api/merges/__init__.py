"""Merges of players over the API."""
