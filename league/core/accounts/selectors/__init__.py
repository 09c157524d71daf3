"""Queries of invitations."""
