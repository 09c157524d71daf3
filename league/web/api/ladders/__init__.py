"""The API of ladders, periods and editions."""
