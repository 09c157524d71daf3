"""Reads a league in a context: ``?context=``, or the addresses below a context."""

from typing import Any

from django.utils.translation import gettext as _

from league.core.contexts.scopes import scope_league
from league.core.errors import Busy
from league.core.leagues.services.contexts import find_context
from league.models import League
from league.web.api.openapi.described import TEXT
from league.web.api.openapi.examples import build_query_parameter

CONTEXT = build_query_parameter("context", TEXT, "The slug of a context: its ratings instead of the league's own.")


def read_scope(league: League, slug: str) -> League:
    """Return a league as it is read in a context; "": the league itself.

    Raises NotFound, and Busy while the context is computed.
    """
    if not slug:
        return league
    context = find_context(league, slug)
    if context.pending or league.stale_from is not None:
        raise Busy(_("The ratings of this context are being computed; try again soon."))
    return scope_league(league, context)


def take_scope(league: League, query: dict[str, Any], context: str) -> League:
    """Return a league as it is read in the context of an address, or of the parameter ``context``."""
    return read_scope(league, context or query.get("context", ""))
