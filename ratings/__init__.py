"""Published rating systems as pure functions, without a database, clock, names or network."""
