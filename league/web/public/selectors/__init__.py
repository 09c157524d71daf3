"""Queries of the public pages alone."""
