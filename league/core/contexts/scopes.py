"""A league read in a context: its derived data are those of the context, by the context's rules."""

from collections.abc import Sequence
from copy import copy

from league.models import Context, League


def scope_league(league: League, context: Context) -> League:
    """Return the league as it is read in a context; the copy is not to be saved.

    ``changes_of`` and the like return the context's rows, and ``load_rules`` its rules. A context with a system of its
    own has neither seasons nor adjustments.
    """
    scoped = copy(league)
    scoped.context = context
    scoped.eventful = league.eventful and not context.system
    return scoped


def load_contexts(league: League, *, pending: bool | None = None) -> list[Context]:
    """Return the contexts of a league in the order of their creation; no query if it has none."""
    if not league.has_contexts:
        return []
    contexts = league.contexts.order_by("pk")
    return list(contexts if pending is None else contexts.filter(pending=pending))


def load_scopes(league: League) -> Sequence[League]:
    """Return the league as it is read in each context that is not about to be computed."""
    return [scope_league(league, context) for context in load_contexts(league, pending=False)]
