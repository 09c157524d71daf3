"""The demo leagues: real games and two simulated clubs."""
