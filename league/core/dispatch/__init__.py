"""Which work is due, and the jobs that do it."""
