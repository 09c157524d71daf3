"""Django's formats while Serbian is read."""
