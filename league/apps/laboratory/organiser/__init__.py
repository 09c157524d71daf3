"""The organiser's pages of the laboratory."""
