"""Notices: found and written down once, put into words in the league's language, mailed; chats get them as webhooks."""
