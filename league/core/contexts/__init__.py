"""Contexts: ratings of their own for the games of a league that match a filter."""
