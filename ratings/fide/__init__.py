"""FIDE's rating and title regulations: rating changes, initial ratings, hints for title norms."""
