"""Leagues and their dated rules."""
