"""What players do with their private links: enter, withdraw, ask for byes, enter results."""
