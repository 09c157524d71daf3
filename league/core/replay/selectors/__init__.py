"""Queries of current ratings."""
