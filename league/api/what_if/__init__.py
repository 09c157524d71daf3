"""Games that were not played, over the API."""
