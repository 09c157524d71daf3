"""Games in order through a kernel, plain or compiled."""
