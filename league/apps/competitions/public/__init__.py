"""Public pages of competitions."""
