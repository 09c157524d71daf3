"""Webhooks: made and changed, and what is in the log sent to them."""
