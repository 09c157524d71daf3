"""The API of leagues and their rules."""
