"""Tests of league/core/leagues."""
