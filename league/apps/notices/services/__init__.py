"""Writing, rendering and mailing notices; chats get them through webhooks."""
