"""The demo leagues: real games and simulated clubs."""
