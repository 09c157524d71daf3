"""The ledger. It imports no request, no page and no optional app."""
