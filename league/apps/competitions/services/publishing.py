"""Publishes editions of competitions and of seasons."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeVar

from league.apps.competitions.models import Competition, FinalStandings, Season, SeasonEdition
from league.core.log.chain import serialize_canonically

E = TypeVar("E", FinalStandings, SeasonEdition)


def publish_document(
    model: type[E], of: Competition | Season, document: Mapping[str, Any], *, at: datetime, by: str, reason: str
) -> E:
    """Store a document as an edition of a competition or season; its member ``edition`` is the number."""
    text = serialize_canonically(document)
    rows: Any = model._default_manager
    edition: E = rows.create(
        league=of.league,
        number=document["edition"],
        document=text,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        published_at=at,
        published_by=by,
        reason=reason,
        **{"competition" if isinstance(of, Competition) else "season": of},
    )
    return edition
