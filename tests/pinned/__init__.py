"""Hashes of everything that users, clients and auditors see."""
