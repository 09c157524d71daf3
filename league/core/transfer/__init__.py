"""Export and restore of a league."""
