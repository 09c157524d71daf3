"""Starts what docker-compose.yml says on this machine's loopback, without Docker (script/stack)."""
