"""Whole tournaments as files: checked against the rules, and drawn by lot. No framework, no database."""
