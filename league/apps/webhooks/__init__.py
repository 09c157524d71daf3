"""Webhooks: changes of a league, sent to other servers."""
