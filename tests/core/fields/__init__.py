"""Declared fields."""
