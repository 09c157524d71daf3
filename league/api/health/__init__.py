"""The health of a league over the API."""
