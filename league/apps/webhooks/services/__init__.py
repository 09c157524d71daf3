"""Managing webhooks, and sending log entries and notices to them."""
