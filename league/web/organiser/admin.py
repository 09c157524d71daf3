"""The admin site: the desk, where organisers record, correct and set up, and the records as they are, to look at."""

from league.web.organiser import raw_records

__all__ = ["raw_records"]
