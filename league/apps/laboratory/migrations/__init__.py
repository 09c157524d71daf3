"""Migrations of the laboratory's tables."""
