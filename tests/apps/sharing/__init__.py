"""Tests of league/apps/sharing."""
