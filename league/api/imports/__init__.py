"""Imports over the API."""
