"""Reads that a replica answers: which one, whether it is fresh enough, and the database itself where it is not."""
