"""One word for the state of a league's books: it changes whenever anything a preview depends on changes."""

from league.models import League


def books_revision(league: League) -> str:
    """Return the revision of a league's books as they are now: equal revisions guarantee equal dry-run results.

    Every change of the league's data is in the log, so the head of the hash chain identifies it, together with what is
    waiting for a replay.
    """
    values = League.objects.values_list("log_sha256", "stale_from", "stale_key").get(pk=league.pk)
    return " ".join(map(str, values))
