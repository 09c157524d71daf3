"""Deployment: configuration of the proxy and monitoring, and a runner for docker-compose.yml without Docker."""
