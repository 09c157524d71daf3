"""Migrations of the tables of rating lists."""
