"""Tests of league/web/api."""
