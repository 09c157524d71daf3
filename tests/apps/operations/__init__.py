"""Tests of league/apps/operations."""
