"""A hall of tables: which match is played where and when in an evening, and what conflicts with what."""
