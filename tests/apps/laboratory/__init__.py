"""Tests of league/apps/laboratory."""
