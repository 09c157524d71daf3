"""Imports by the thousand: files read and checked, written and rated at once."""
