"""Charts as SVG, each with its figures in a table."""
