"""What a tournament report says of an arbiter's changes, in lines of remarks (###). Files are in English."""

from league.apps.competitions.selectors.competition_data import LoadedCompetition
from league.apps.competitions.selectors.trail import load_trail


def list_remarks(loaded: LoadedCompetition) -> tuple[str, ...]:
    """Return the texts of the remarks, in the order of time, with numbers instead of names."""
    return tuple(line.remark for line in load_trail(loaded) if line.remark)
