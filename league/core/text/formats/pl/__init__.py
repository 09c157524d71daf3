"""Django's formats while Polish is read."""
