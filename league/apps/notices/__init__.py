"""Notices by mail and to chats."""
