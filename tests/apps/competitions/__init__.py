"""Tests of league/apps/competitions."""
