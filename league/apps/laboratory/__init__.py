"""Experiments with rating systems, the health of ratings, and the board of a second system."""
