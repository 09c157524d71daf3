"""A second system's board over the API."""
