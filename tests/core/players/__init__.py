"""Tests of league/core/players."""
