"""Players over the API."""
