"""Tests of league/core/contexts."""
