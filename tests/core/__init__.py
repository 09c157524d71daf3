"""Tests of league/core."""
