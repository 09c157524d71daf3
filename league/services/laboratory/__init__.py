"""The laboratory: several rating systems on a league's own games, beside the books and without touching them."""
