"""The REST API of competitions."""
