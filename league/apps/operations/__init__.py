"""Backups, metrics and the status page."""
