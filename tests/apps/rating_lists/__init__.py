"""Tests of league/apps/rating_lists."""
