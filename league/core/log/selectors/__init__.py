"""Queries of the log."""
