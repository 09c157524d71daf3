"""Queries of rules."""
