"""Verification of contexts: their history and ratings must be those of a replay, like the league's own."""

from collections.abc import Iterator

from league.core.contexts.scopes import load_contexts, scope_league
from league.core.text.stored_messages import StoredMessage, phrase
from league.core.verify.history import find_history_problems, find_rating_problems
from league.core.verify.league_data import read_verified_league
from league.models import League


def find_context_problems(league: League, *, trusted: bool) -> Iterator[StoredMessage]:
    """Yield the differences of the contexts of a league; those about to be computed are not compared."""
    for context in load_contexts(league, pending=False):
        data = read_verified_league(scope_league(league, context), trusted=trusted)
        for message in (*find_history_problems(data), *find_rating_problems(data)):
            yield phrase("In the context {context}: {difference}", context=context.slug, difference=message)
