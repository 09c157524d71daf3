"""Ladders: their rules and periods, the rated games they are made of, and rankings."""
