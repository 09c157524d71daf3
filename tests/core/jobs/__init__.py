"""Tests of league/core/jobs."""
