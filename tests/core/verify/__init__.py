"""Tests of league/core/verify."""
