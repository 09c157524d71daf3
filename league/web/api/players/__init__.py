"""The API of players."""
