"""Tests of league/core/leaderboard."""
