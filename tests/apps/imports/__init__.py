"""Tests of league/apps/imports."""
