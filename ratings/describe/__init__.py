"""Systems and methods in words: what they are, and why a game changed a rating."""
