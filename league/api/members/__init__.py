"""Members and tokens over the API."""
