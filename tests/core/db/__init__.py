"""Tests of league/core/db."""
