"""A league made again of its export."""
