"""Tournaments that are drawn and checked as files."""
