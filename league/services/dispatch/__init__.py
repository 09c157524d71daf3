"""What is due: the sweep, the night's work, and files that wait for a worker."""
