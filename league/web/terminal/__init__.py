"""Code shared by the terminal commands."""
