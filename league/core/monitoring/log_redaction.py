"""Keeps the secrets of links out of what the site logs: an address that was refused is logged, its secret is not."""

import logging
import re

#: The secret of a link is behind these, also where a query says to which page it leads on.
SECRET = re.compile(
    r"((?:/|%2F)(?:report|invitations|accounts(?:/|%2F)(?:reset|notices))(?:/|%2F))(?:(?!%2F|&)[^/\s])+(?:/[^/\s]+)?"
)
#: PostgreSQL says in these lines of an error what is in the row.
ROW = re.compile(r"^(DETAIL|CONTEXT):.*$", re.MULTILINE)


def without_secrets(text: str) -> str:
    """Return a text without the secrets of links, and without what a database tells of a row."""
    return ROW.sub(r"\1: …", SECRET.sub(r"\1…", text))


class RefusalsInALine(logging.Filter):
    """Logs who was refused in a line: where they may not be is no fault of the code's, and no traceback tells more."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every line through, that of a request below 500 without its traceback."""
        if record.name == "django.request" and getattr(record, "status_code", 500) < 500:
            record.exc_info, record.exc_text = None, None
        return True


class WithoutSecrets(logging.Filter):
    """Logs the addresses of links without what makes them good."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every line through, the secrets of links taken out."""
        said = record.getMessage()
        told = without_secrets(said)
        if told != said:
            record.msg, record.args = told, ()
        return True
