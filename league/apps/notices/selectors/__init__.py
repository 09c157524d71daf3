"""Queries for the contents and recipients of notices."""
