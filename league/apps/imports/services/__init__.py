"""Reads, checks, writes and rates imported games."""
