"""The organiser's pages of imports."""
