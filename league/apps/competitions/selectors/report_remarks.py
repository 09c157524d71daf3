"""What a tournament report says of an arbiter's changes, in lines of remarks (###). Files are in English."""

from league.apps.competitions.selectors.competition_data import LoadedCompetition


def list_remarks(loaded: LoadedCompetition) -> tuple[str, ...]:
    """Return the texts of the remarks, in the order of time."""
    left = loaded.competition.regulations_left
    return () if left is None else (f"FIDE mode left @ Round {left}",)
