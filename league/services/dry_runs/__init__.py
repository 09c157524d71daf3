"""Dry runs: what a change of the books would do, told as a diff and never written."""
