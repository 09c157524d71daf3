"""The faces of the core: the organiser's pages, the public pages and the API."""
