"""Jobs with progress, and the queue of tasks."""
