"""Tests of league/core/ladders."""
