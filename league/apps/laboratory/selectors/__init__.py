"""Queries of the laboratory."""
