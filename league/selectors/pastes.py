"""Pastes in the books of a league: games that were recorded together bear one key in their external_ids."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Min
from django.db.models.functions import Substr
from django.utils import timezone

from league.models import Game, League

#: What the external_ids of a paste's games begin with, and how long that is with its key.
PREFIX = "paste-"
WITH_KEY = len(PREFIX) + 32
#: What others of the API begin so is none of a paste.
BATCH = re.compile(r"paste-[0-9a-f]{32}")
#: Pastes of these days are offered to be taken back.
LATELY, MOST = timedelta(days=30), 5


@dataclass(frozen=True)
class PastedGames:
    """A paste in the books: its key, how many of its games count, when the first was played, and all recorded."""

    key: str
    games: int
    first: datetime
    recorded: datetime


def paste_of(league: League, key: str) -> PastedGames | None:
    """Return a paste in the books, None where no game of it counts."""
    return next(iter(pastes(league, f"{PREFIX}{key}-")), None)


def pastes_lately(league: League) -> list[PastedGames]:
    """Return the pastes of the last days that have games which count, the newest first."""
    return pastes(league, PREFIX)[:MOST]


def pastes(league: League, prefix: str) -> list[PastedGames]:
    """Return the pastes whose games' external_ids begin with a text, the newest first."""
    games = Game.objects.filter(league=league, voided_at__isnull=True, external_id__startswith=prefix)
    games = games.filter(recorded_at__gte=timezone.now() - LATELY)
    rows = games.order_by().annotate(batch=Substr("external_id", 1, WITH_KEY)).values("batch")
    found = rows.annotate(count=Count("pk"), first=Min("played_at"), at=Min("recorded_at")).order_by("-at")
    return [
        PastedGames(name.removeprefix(PREFIX), count, first, at)
        for name, count, first, at in found.values_list("batch", "count", "first", "at")
        if BATCH.fullmatch(name)
    ]
