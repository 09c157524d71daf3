"""Players: people, aliases, merging, erasing."""
