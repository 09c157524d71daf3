"""What keeps strangers out, and what they may do there."""
