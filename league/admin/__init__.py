"""The admin site: the desk, where organisers record, correct and set up, and the records as they are, to look at."""

from league.admin import raw

__all__ = ["raw"]
