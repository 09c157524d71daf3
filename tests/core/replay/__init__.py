"""Tests of league/core/replay."""
