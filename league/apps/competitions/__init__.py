"""Competitions: entries, rounds, fixtures and standings."""
