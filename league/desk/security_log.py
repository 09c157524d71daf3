"""The log of sign-ins: who, from where, with what outcome; never a password or a code."""

import logging

from django.http import HttpRequest

from league.asker import address_of
from league.names import shortened

logger = logging.getLogger("league.security")


def log_event(event: str, username: str, request: HttpRequest) -> None:
    """Log an event; invisible letters of a name are written out."""
    logger.info("%s: %s from %s", event, shortened(username), shortened(address_of(request)))
