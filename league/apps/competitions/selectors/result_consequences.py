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
    judge_deadline,
)
from league.apps.competitions.selectors.game_points import are_awarded
from league.apps.competitions.selectors.result_texts import format_points
from league.apps.competitions.selectors.standings import compute_standings
from league.models import Game
from ratings.contract.competition import FixtureData, Seat
from ratings.standings.ranking import StandingsRow


def list_later_rounds(loaded: LoadedCompetition, state: FixtureState) -> list[Round]:
    """Return the rounds that were paired with the result of a fixture."""
    if state.round is None or loaded.data.predetermined:
        return []
    return [one for number, one in loaded.rounds.items() if number > state.round]


def describe_consequences(loaded: LoadedCompetition, state: FixtureState, lines: Sequence[ResultLine]) -> list[str]:
    """Return sentences about later rounds, final standings, and the ranks of the entries.

    ``lines``: of the game that counts instead, [] if none does. None if the result stays, as when only a note is
    corrected.
    """
    if state.game and sorted(lines, key=_get_player) == sorted(state.game.lines, key=_get_player):
        return []
    sentences = [_describe_fixture(state, lines)] if not state.game or not lines else []
    sentences += [_describe_later_round(one, state) for one in list_later_rounds(loaded, state)]
    if loaded.competition.status == Competition.Status.FINISHED:
        sentences.append(
            _("The final standings were published with the old result. Publish another edition, or leave them.")
            if state.game
            else _("The final standings were published without this result. Publish another edition, or leave them.")
        )
    changed = _replace_result(loaded, state, tuple(lines)) if lines else _remove_result(loaded, state)
    return [*sentences, *(_describe_ranks(loaded, changed, state.entries) if changed else ())]


def _describe_fixture(state: FixtureState, lines: Sequence[ResultLine]) -> str:
    """Return what becomes of a fixture that loses its result, or gets it back."""
    where = _("Fixture {number}").format(number=state.number)
    if state.round:
        where = _("Round {number}").format(number=state.round)
    again, open_again = _("{fixture}: the game has its result again."), _("{fixture}: the game has no result any more.")
    return (again if lines else open_again).format(fixture=where)


def _describe_later_round(later: Round, state: FixtureState) -> str:
    """Return what a change means for a round that was paired before it."""
    if state.game:
        template = (
            _("Round {number} is a proposal that was paired with the old result: undo it and pair it again.")
            if later.published_at is None
            else _("Round {number} was paired with the old result; its pairing stays.")
        )
    else:
        template = (
            _("Round {number} is a proposal that was paired without this result: undo it and pair it again.")
            if later.published_at is None
            else _("Round {number} was paired without this result; its pairing stays.")
        )
    return template.format(number=later.number)


def _get_player(line: ResultLine) -> int:
    return line.player


def _replace_result(
    loaded: LoadedCompetition, state: FixtureState, lines: tuple[ResultLine, ...]
) -> LoadedCompetition | None:
    """Return the competition with another result of a fixture; None if it is of other players."""
    old = state.game

    def is_awarded(scores: Sequence[float | None]) -> bool:
        return are_awarded(scores, as_points=loaded.scores_are_points)

    kind = Game.Kind.FRIENDLY if is_awarded([line.score for line in lines]) else Game.Kind.PLAYED
    # Points that follow from the old result are no decision about the new one.
    decided = old is None or not is_awarded([line.score for line in old.lines])
    seats = [seat._replace(points=seat.points if decided else None) for seat in state.data.seats]
    played_at = old.played_at if old else loaded.now
    played = build_played_seats(seats, GameLines(0, kind, played_at, lines), loaded.people, loaded)
    if played is None:
        return None
    return _replace_fixture(loaded, state._replace(status="played", data=FixtureData(played, "played")))


def _remove_result(loaded: LoadedCompetition, state: FixtureState) -> LoadedCompetition:
    """Return the competition with a fixture that has no result, or that of its deadline."""
    opened = state._replace(status="planned", data=FixtureData(tuple(Seat(one) for one in state.entries)), game=None)
    return _replace_fixture(loaded, judge_deadline(opened, loaded.competition, loaded.now))


def _replace_fixture(loaded: LoadedCompetition, changed: FixtureState) -> LoadedCompetition:
    return replace(loaded, fixtures=[changed if one.number == changed.number else one for one in loaded.fixtures])


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
        return _("{entry}: points {old} → {new}")
    if old.points == new.points:
        return _("{entry}: rank {before} → {after}")
    return _("{entry}: rank {before} → {after}, points {old} → {new}")
