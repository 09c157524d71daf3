"""Commands of imports."""
