"""The leaderboard: ranks, movement, any day of the past."""
