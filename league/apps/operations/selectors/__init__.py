"""Queries about backups and metrics."""
