"""Keeps the books: leagues, players, games and everything that is derived from them."""
