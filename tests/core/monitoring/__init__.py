"""Tests of league/core/monitoring."""
