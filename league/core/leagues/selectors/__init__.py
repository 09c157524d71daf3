"""Queries of leagues and their rules."""
