"""One word for the state of a league's books: it changes with everything that a preview of a change rests on."""

from league.models import League


def books_revision(league: League) -> str:
    """Return the revision of a league's books as they are now: equal revisions, equal answers of every dry run.

    Every change of the league's data is in the log, so the head of its chain tells; and what waits for a replay.
    """
    values = League.objects.values_list("log_sha256", "stale_from", "stale_key").get(pk=league.pk)
    return " ".join(map(str, values))
