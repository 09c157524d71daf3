"""What a change would do, without making it."""
