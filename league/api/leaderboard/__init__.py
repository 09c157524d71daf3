"""The leaderboard over the API."""
