"""The rating systems, one file each. To add a system, add a file."""
