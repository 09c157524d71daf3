"""Tests of league/web."""
