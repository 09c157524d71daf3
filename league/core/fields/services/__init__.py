"""Changes of declared fields and of their values."""
