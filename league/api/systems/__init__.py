"""Rating systems over the API."""
