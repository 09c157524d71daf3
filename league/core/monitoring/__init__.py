"""How a running site is watched: what is at hand, lines of the log, statements, meters, and who else is told."""
