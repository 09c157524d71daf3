"""Replay: rating history and current ratings from the facts."""
