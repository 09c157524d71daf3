"""Queries of declared fields."""
