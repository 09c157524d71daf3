"""Accounts: roles, API tokens, invitations, passwords."""
