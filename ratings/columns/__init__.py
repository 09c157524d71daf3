"""Records and rankings as NumPy columns."""
