"""Tests of league/core/accounts."""
