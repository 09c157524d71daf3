"""Dry runs: what a change of the league's data would do, told as a diff and never written."""
