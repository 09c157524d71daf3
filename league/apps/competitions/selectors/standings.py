"""Standings of a competition."""

from collections.abc import Collection, Sequence

from league.apps.competitions.models import Entry
from league.apps.competitions.selectors.competition_data import LoadedCompetition
from league.apps.competitions.selectors.competitions import build_format, build_tie_break_rules
from ratings.contract.bracket_format import BracketFormat
from ratings.contract.result_table import cut_rounds
from ratings.standings.knockout_bracket import build_bracket, find_possible_ranks, rank_knockout
from ratings.standings.left_out import EXPELLED, FEW_GAMES, draw_lots, put_last, remove_entries
from ratings.standings.possible_ranks import PossibleRanks, possible_ranks
from ratings.standings.ranking import Standings, rank_groups, rank_standings


def compute_standings(
    loaded: LoadedCompetition, *, round_number: int | None = None, tie_breaks: Sequence[str] | None = None
) -> Standings:
    """Return the standings after a round (None: the last), by the given or the competition's tie-breaks.

    A knock-out is ranked by how far each entry came. Raises UnknownTieBreak.
    """
    data = loaded.data if round_number is None else loaded.build_data(round_number)
    codes = loaded.competition.tie_breaks if tie_breaks is None else tie_breaks
    pairing_format, rules = build_format(loaded.competition), build_tie_break_rules(loaded.competition)
    if isinstance(pairing_format, BracketFormat):
        return rank_knockout(data, pairing_format, codes, rules)
    left_out = find_left_out(loaded)
    annulled = {number for number, reason in left_out.items() if reason == FEW_GAMES}
    standings = rank_standings(remove_entries(data, annulled) if annulled else data, codes, rules)
    if loaded.competition.lots:
        standings = draw_lots(standings, loaded.competition.seed)
    return put_last(standings, data, left_out) if left_out else standings


def find_left_out(loaded: LoadedCompetition) -> dict[int, str]:
    """Return number -> why an entry is left out of the ranks: it was expelled, or left a round robin too early.

    Under the regulations the results of whoever withdraws from a round robin before half of the games do not count.
    """
    found = {entry.number: EXPELLED for entry in loaded.entries.values() if entry.expelled}
    if loaded.competition.regulations and loaded.competition.format == "round_robin":
        for entry in loaded.entries.values():
            if entry.status == Entry.Status.WITHDRAWN:
                own = [one for one in loaded.fixtures if one.kind == "game" and entry.number in one.entries]
                if 2 * sum(one.status == "played" for one in own) < len(own):
                    found[entry.number] = FEW_GAMES
    return found


def compute_possible_ranks(
    loaded: LoadedCompetition, standings: Standings | None = None, *, unplayed: bool = False
) -> dict[int, PossibleRanks]:
    """Return the ranks that each entry can still reach; ``standings``: the present ones, if they are known.

    ``unplayed``: games may also stay unplayed; a knock-out cannot go on without them. None are known if an entry is
    left out of the ranks, or lots are drawn.
    """
    if find_left_out(loaded) or loaded.competition.lots:
        return {}
    pairing_format = build_format(loaded.competition)
    if isinstance(pairing_format, BracketFormat):
        return find_possible_ranks(build_bracket(loaded.data, pairing_format), standings or compute_standings(loaded))
    rules = build_tie_break_rules(loaded.competition)
    return possible_ranks(loaded.data, loaded.competition.tie_breaks, rules, standings, unplayed=unplayed)


def compute_ranks(standings: Standings, round_number: int, wanted: Collection[int]) -> dict[int, int]:
    """Return the ranks of some entries after an earlier round than that of the standings; not for knock-outs.

    Others with the points of none of them may share a rank here.
    """
    ranks: dict[int, int] = {}
    for group in rank_groups(cut_rounds(standings.table, round_number), standings.choices, wanted):
        ranks |= dict.fromkeys(group, len(ranks) + 1)
    return ranks
