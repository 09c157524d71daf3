"""Webhooks: made and changed, and what stands in the log sent to them."""
