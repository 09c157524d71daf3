"""Texts: names, numbers, timestamps, file formats and messages."""
