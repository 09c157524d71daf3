"""The terminal: what the commands of operators share."""
