"""Standings of a competition."""

from collections.abc import Sequence

from league.apps.competitions.selectors.competition_data import LoadedCompetition
from league.apps.competitions.selectors.competitions import build_tie_break_rules
from ratings.standings.possible_ranks import PossibleRanks, possible_ranks
from ratings.standings.ranking import Standings, rank_standings


def compute_standings(
    loaded: LoadedCompetition, *, round_number: int | None = None, tie_breaks: Sequence[str] | None = None
) -> Standings:
    """Return the standings after a round (None: the last), by the given or the competition's tie-breaks.

    Raises UnknownTieBreak.
    """
    data = loaded.data if round_number is None else loaded.build_data(round_number)
    codes = loaded.competition.tie_breaks if tie_breaks is None else tie_breaks
    return rank_standings(data, codes, build_tie_break_rules(loaded.competition))


def compute_possible_ranks(loaded: LoadedCompetition) -> dict[int, PossibleRanks]:
    """Return the ranks that each entry can still reach."""
    return possible_ranks(loaded.data, loaded.competition.tie_breaks, build_tie_break_rules(loaded.competition))
