"""The API of games: list, record (one or a batch), correct, void and restore."""
