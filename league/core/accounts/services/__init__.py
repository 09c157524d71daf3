"""Who comes in: members of leagues, tokens, and signing in."""
