"""``verify``: facts held to the log, and everything derived recomputed and compared."""
