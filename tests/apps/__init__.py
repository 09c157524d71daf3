"""Tests of league/apps."""
