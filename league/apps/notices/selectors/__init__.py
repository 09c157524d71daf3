"""What of a league is told by notices, and who is told."""
