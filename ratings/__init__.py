"""Does the sums: published rating systems as pure functions, without tables, clock, names or network."""
