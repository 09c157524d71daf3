"""The log of sign-ins: username, address and outcome; never a password or a code."""

import logging

from django.http import HttpRequest

from league.core.text.names import shorten_name
from league.web.client_address import get_client_address

logger = logging.getLogger("league.security")


def log_event(event: str, username: str, request: HttpRequest) -> None:
    """Log an event; invisible characters of a name are escaped."""
    logger.info("%s: %s from %s", event, shorten_name(username), shorten_name(get_client_address(request)))
