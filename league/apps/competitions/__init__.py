"""Competitions: entries, rounds, fixtures, standings."""
