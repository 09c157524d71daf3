"""Players, aliases, merges and erasure."""
