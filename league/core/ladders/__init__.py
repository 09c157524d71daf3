"""Ladders: periods, standings, closing, editions."""
