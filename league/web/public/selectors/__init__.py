"""Queries used only by the public pages."""
