"""The laboratory over the API."""
