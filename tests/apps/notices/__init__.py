"""Tests of league/apps/notices."""
