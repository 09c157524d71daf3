"""Tests of plans of an evening in a hall of tables."""
