"""People: who sees whom, by which name they are found, and how they stand."""
