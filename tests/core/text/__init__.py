"""Tests of league/core/text."""
