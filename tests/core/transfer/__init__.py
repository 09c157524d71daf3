"""Tests of league/core/transfer."""
