"""Languages: which one is read, and that every text is said in it."""
