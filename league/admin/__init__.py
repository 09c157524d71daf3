"""The admin face."""
