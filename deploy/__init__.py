"""How a site is run: the proxy's configuration, and what starts docker-compose.yml without Docker."""
