"""Pairing formats: published tables, their laws over drawn competitions, and other engines."""
