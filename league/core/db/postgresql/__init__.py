"""The database engine: Django's for PostgreSQL, which notices a silent server (``base``)."""
