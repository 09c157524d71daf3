"""Queries of rating lists."""
