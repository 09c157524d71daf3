"""Fields that a league declares for its games, seats and players."""
