"""Queries of exports."""
