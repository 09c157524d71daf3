"""``verify``: facts held to the log, and everything derived computed anew and compared."""
