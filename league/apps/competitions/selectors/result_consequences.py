"""What follows in a competition from another result of a fixture."""

from collections.abc import Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from league.apps.competitions.models import Competition, Round
from league.apps.competitions.selectors.competition_data import (
    FixtureState,
    GameLines,
    LoadedCompetition,
    ResultLine,
    build_played_seats,
)
from league.apps.competitions.selectors.game_points import are_awarded
from league.apps.competitions.selectors.result_texts import format_points
from league.apps.competitions.selectors.standings import compute_standings
from league.models import Game
from ratings.contract.competition import FixtureData
from ratings.standings.ranking import StandingsRow


def list_later_rounds(loaded: LoadedCompetition, state: FixtureState) -> list[Round]:
    """Return the rounds that were paired with the result of a fixture."""
    if state.round is None or loaded.data.predetermined:
        return []
    return [one for number, one in loaded.rounds.items() if number > state.round]


def describe_consequences(loaded: LoadedCompetition, state: FixtureState, lines: Sequence[ResultLine]) -> list[str]:
    """Return sentences about later rounds, final standings, and the ranks of the entries; ``lines``: of the game.

    None if the result stays, as when only a note is corrected.
    """
    assert state.game is not None
    if sorted(lines, key=_get_player) == sorted(state.game.lines, key=_get_player):
        return []
    sentences = []
    for one in list_later_rounds(loaded, state):
        template = (
            _("Round {number} is a proposal that was paired with the old result: undo it and pair it again.")
            if one.published_at is None
            else _("Round {number} was paired with the old result; its pairing stays.")
        )
        sentences.append(template.format(number=one.number))
    if loaded.competition.status == Competition.Status.FINISHED:
        sentences.append(
            _("The final standings were published with the old result. Publish another edition, or leave them.")
        )
    changed = _replace_result(loaded, state, tuple(lines))
    return [*sentences, *(_describe_ranks(loaded, changed, state.entries) if changed else ())]


def _get_player(line: ResultLine) -> int:
    return line.player


def _replace_result(
    loaded: LoadedCompetition, state: FixtureState, lines: tuple[ResultLine, ...]
) -> LoadedCompetition | None:
    """Return the competition with another result of a fixture; None if it is of other players."""
    assert state.game is not None

    def is_awarded(scores: Sequence[float | None]) -> bool:
        return are_awarded(scores, as_points=loaded.scores_are_points)

    kind = Game.Kind.FRIENDLY if is_awarded([line.score for line in lines]) else Game.Kind.PLAYED
    # Points that follow from the old result are no decision about the new one.
    decided = not is_awarded([line.score for line in state.game.lines])
    seats = [seat._replace(points=seat.points if decided else None) for seat in state.data.seats]
    played = build_played_seats(seats, GameLines(0, kind, state.game.played_at, lines), loaded.people, loaded)
    if played is None:
        return None
    changed = state._replace(status="played", data=FixtureData(played, "played"))
    return replace(loaded, fixtures=[changed if one.number == state.number else one for one in loaded.fixtures])


def _describe_ranks(before: LoadedCompetition, after: LoadedCompetition, entries: Sequence[int]) -> list[str]:
    """Return a sentence for each entry about what changes of its rank and its points."""
    old, new = ({row.entry: row for row in compute_standings(one).rows} for one in (before, after))
    pairs = [(old[entry], new[entry]) for entry in entries]
    return [
        _choose_rank_template(one, other).format(
            entry=before.name(one.entry),
            before=one.rank,
            after=other.rank,
            old=format_points(one.points),
            new=format_points(other.points),
        )
        for one, other in pairs
        if (one.rank, one.points) != (other.rank, other.points)
    ]


def _choose_rank_template(old: StandingsRow, new: StandingsRow) -> str:
    """Return a sentence with fields for what changes: the rank, the points, or both."""
    if old.rank == new.rank:
        return _("{entry}: points {old} → {new}.")
    if old.points == new.points:
        return _("{entry}: rank {before} → {after}.")
    return _("{entry}: rank {before} → {after}, points {old} → {new}.")
