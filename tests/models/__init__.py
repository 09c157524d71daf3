"""Tests of league/models."""
