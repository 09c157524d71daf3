"""Django's formats while Russian is read."""
