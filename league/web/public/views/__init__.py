"""Views of the public pages, a module a kind of page."""
