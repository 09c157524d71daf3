"""Reads a league in a context: ``?context=``, or the addresses below a context."""

from typing import Any

from league.core.leagues.services.contexts import find_scope
from league.models import League
from league.web.api.openapi.described import TEXT
from league.web.api.openapi.examples import build_query_parameter

CONTEXT = build_query_parameter("context", TEXT, "The slug of a context: its ratings instead of the league's own.")


def take_scope(league: League, query: dict[str, Any], context: str) -> League:
    """Return a league as it is read in the context of an address, or of the parameter ``context``."""
    return find_scope(league, context or query.get("context", ""))
