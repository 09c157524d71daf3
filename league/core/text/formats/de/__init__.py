"""Django's formats while German is read."""
