"""Players: adding, renaming, merging."""
