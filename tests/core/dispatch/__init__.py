"""Tests of league/core/dispatch."""
