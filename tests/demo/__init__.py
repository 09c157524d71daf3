"""Tests of league/demo."""
