"""The command ``rungs``: its overview, its help and its arguments. Nothing here imports Django to show help."""
