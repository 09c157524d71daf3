"""Runs the services of docker-compose.yml without Docker, on the loopback interface (script/stack)."""
