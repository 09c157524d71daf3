"""Views of the public pages."""
