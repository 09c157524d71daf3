"""The laboratory: several rating systems on a league's own games, without changing the league's data."""
