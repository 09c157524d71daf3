"""An entry's card: its rounds, the parts of its tie-breaks, and FIDE's performance measures."""

from dataclasses import dataclass
from fractions import Fraction

from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition
from league.apps.competitions.selectors.competitions import build_tie_break_rules
from league.models import RatingChange
from ratings.contract.result_table import RoundResult
from ratings.contract.tie_break import TieBreakExplanation
from ratings.standings.ranking import Standings, StandingsRow
from ratings.standings.tie_break_codes import parse_code

#: The performance measures of a card (SYSTEMS.md, section 3).
MEASURES = ("ARO", "TPR", "PTP", "APRO", "APPO")


@dataclass(frozen=True)
class CardRound:
    """A round of an entry. ``fixture``: None without one. ``opponents``: their numbers.

    ``white``: whether it had the first seat in a game of two. ``changes``: of the ratings of its players by the game.
    """

    round: int
    result: RoundResult
    points: Fraction
    fixture: FixtureState | None
    opponents: tuple[int, ...]
    white: bool | None
    changes: tuple[float, ...]


@dataclass(frozen=True)
class EntryCard:
    """The card of an entry. ``explanations`` by code, of the competition's tie-breaks; ``measures`` by code."""

    row: StandingsRow
    rounds: tuple[CardRound, ...]
    explanations: dict[str, TieBreakExplanation]
    measures: dict[str, TieBreakExplanation]


def build_entry_card(loaded: LoadedCompetition, standings: Standings, number: int) -> EntryCard:
    """Return the card of an entry; KeyError if there is none."""
    row = {row.entry: row for row in standings.rows}[number]
    rules = build_tie_break_rules(loaded.competition)
    measures = {code: parse_code(code, rules).explain(standings.table, number) for code in MEASURES}
    return EntryCard(row, _build_rounds(loaded, standings, number), standings.explain(number), measures)


def _build_rounds(loaded: LoadedCompetition, standings: Standings, number: int) -> tuple[CardRound, ...]:
    own = {id(fixture.data): fixture for fixture in loaded.fixtures if number in fixture.entries}
    results = sorted(standings.table.results[number], key=lambda result: result.round)
    fixtures = [own.get(id(result.fixture)) for result in results]
    changes = _load_changes(loaded, number, [fixture.game.number for fixture in fixtures if fixture and fixture.game])
    rounds = []
    for result, fixture in zip(results, fixtures, strict=True):
        opponents = tuple(entry for entry in fixture.entries if entry != number) if fixture else ()
        rounds.append(
            CardRound(
                result.round,
                result,
                Fraction(result.points, standings.table.scale),
                fixture,
                opponents,
                fixture.entries[0] == number if fixture and len(opponents) == 1 else None,
                changes.get(fixture.game.number, ()) if fixture and fixture.game else (),
            )
        )
    return tuple(rounds)


def _load_changes(loaded: LoadedCompetition, number: int, games: list[int]) -> dict[int, tuple[float, ...]]:
    """Return game -> the rating changes of the entry's players in it, in the order of the side."""
    league = loaded.competition.league_id
    players = [player.pk for player in loaded.entries[number].survivors]
    changes: dict[int, dict[int, float]] = {}
    rows = RatingChange.objects.filter(league=league, number__in=games, player__in=players, step=1)
    for game, player, change in rows.values_list("number", "player", "change"):
        changes.setdefault(game, {})[player] = change
    return {
        game: tuple(by_player[player] for player in players if player in by_player)
        for game, by_player in changes.items()
    }
