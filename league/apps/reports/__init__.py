"""Players report games by private links."""
