"""Seasons: what leads from the places of competitions to divisions, points of a series, and seats of a stage."""
