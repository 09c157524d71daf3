"""Importing games from files and pasted text."""
