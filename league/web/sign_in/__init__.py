"""Sign-in: passwords, second factors, other sites' accounts, invitations and sessions."""
