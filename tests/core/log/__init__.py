"""Tests of league/core/log."""
