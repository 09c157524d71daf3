"""The revision of a league's data, which changes whenever anything that a preview depends on changes."""

from league.models import League


def books_revision(league: League) -> str:
    """Return the current revision of a league's data: equal revisions guarantee equal dry-run results.

    Every change of the league's data is in the log, so the head of the hash chain identifies it, together with the
    position of a pending replay.
    """
    values = League.objects.values_list("log_sha256", "stale_from", "stale_key").get(pk=league.pk)
    return " ".join(map(str, values))
