"""Tests of league/apps/reports."""
