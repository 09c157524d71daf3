"""The web server: gunicorn with a worker in which no thread ever waits for a client (``worker``)."""
