"""Jobs over the API."""
