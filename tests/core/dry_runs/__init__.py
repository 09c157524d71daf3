"""Tests of league/core/dry_runs."""
