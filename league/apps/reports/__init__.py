"""Players report games with private links."""
