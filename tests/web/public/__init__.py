"""Tests of league/web/public."""
