"""Replay: recomputing what is derived from the facts, inline or in the background."""
