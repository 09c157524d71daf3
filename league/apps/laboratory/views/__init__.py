"""Public pages of the laboratory."""
