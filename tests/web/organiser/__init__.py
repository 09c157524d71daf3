"""Tests of league/web/organiser."""
