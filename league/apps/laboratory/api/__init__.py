"""The laboratory in the API."""
