"""Queries of reports and links."""
