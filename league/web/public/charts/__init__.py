"""SVG charts, each with its numbers in a table."""
