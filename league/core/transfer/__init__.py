"""Export and restore of leagues."""
