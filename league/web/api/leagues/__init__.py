"""Leagues and their rules over the API."""
