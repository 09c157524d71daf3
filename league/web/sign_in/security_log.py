"""The log of sign-ins: who, from where, with what outcome; never a password or a code."""

import logging

from django.http import HttpRequest

from league.core.text.names import shortened
from league.web.client_address import address_of

logger = logging.getLogger("league.security")


def log_event(event: str, username: str, request: HttpRequest) -> None:
    """Log an event; invisible letters of a name are written out."""
    logger.info("%s: %s from %s", event, shortened(username), shortened(address_of(request)))
