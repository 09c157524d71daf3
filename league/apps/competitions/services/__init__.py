"""Writes competitions."""
