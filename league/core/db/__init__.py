"""How to talk to two databases: prepared statements, columns, bulk writes, isolation, and what goes wrong."""
