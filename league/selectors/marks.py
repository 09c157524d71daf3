"""One word for the state of a league's books: it changes with everything that a preview of a change rests on."""

import hashlib

from django.db.models import Count, Max, Sum

from league.models import Decision, Edition, Game, InitialRating, Ladder, LadderRule, League, Rule


def books_mark(league: League) -> str:
    """Return the mark of a league's books as they are now: equal marks, equal answers of every dry run."""
    counted = (Count("pk"), Max("pk"))
    told = [
        League.objects.values_list("last_number", "stale_from", "stale_number", "time_zone").get(pk=league.pk),
        Game.objects.filter(league=league, voided_at__isnull=False).aggregate(Count("pk"), Max("voided_at")),
        Rule.objects.filter(league=league).aggregate(*counted, Max("starts_at")),
        InitialRating.objects.filter(league=league).aggregate(*counted, Sum("rating")),
        list(Ladder.objects.filter(league=league).order_by("pk").values_list("pk", "ended_on")),
        LadderRule.objects.filter(ladder__league=league).aggregate(*counted),
        Edition.objects.filter(ladder__league=league).aggregate(*counted),
        Decision.objects.filter(ladder__league=league).aggregate(*counted),
    ]
    return hashlib.sha256(repr(told).encode()).hexdigest()[:32]
