"""Reads competitions."""
