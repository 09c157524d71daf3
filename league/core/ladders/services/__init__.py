"""Ladders, their periods and standings; closing, reopening and publishing editions."""
