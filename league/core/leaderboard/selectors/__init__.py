"""The league's live table: rows, ranks, pages, and as it stood at a past moment."""
