"""The log of a league: a chain of hashed entries."""
