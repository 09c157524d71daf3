"""The log, its heads and exports over the API."""
