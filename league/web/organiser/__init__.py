"""The organiser's pages, inside Django's admin site."""
