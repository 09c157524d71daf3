"""The database engine: Django's for PostgreSQL, which detects a silent server (``base``)."""
