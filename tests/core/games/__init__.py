"""Tests of league/core/games."""
