"""Line-ups of matches of teams, and the results of their boards."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.apps.competitions.files.fixture_plan import read_plan
from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import Competition, Fixture, FixtureSeat
from league.apps.competitions.records import FIXTURE_LOG
from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition, load_competition
from league.apps.competitions.selectors.competitions import check_running
from league.apps.competitions.selectors.playable_fixtures import find_playable_fixture
from league.apps.competitions.selectors.team_matches import find_member, order_seats
from league.apps.competitions.services.log_rows import append_change
from league.apps.competitions.services.results import forfeit_in, record_in_match
from league.apps.competitions.services.rounds import NewFixture, write_fixtures
from league.core.errors import Conflict, Problem, Refused
from league.core.locking import locked
from league.models import League

#: Team's number -> the places in its squad of who sits on boards 1, 2, …: 0 is nobody.
LineUps = Mapping[int, Sequence[int]]


@dataclass(frozen=True)
class BoardResult:
    """The result of a board, in the order of the teams of the match: scores, or the teams that lost without play."""

    scores: tuple[float, float] | None = None
    losers: tuple[int, ...] = ()


@locked
def enter_match(
    league: League,
    now: datetime,
    number: int,
    line_ups: LineUps,
    results: Mapping[int, BoardResult] | None = None,
    *,
    by: str,
) -> None:
    """Enter line-ups of a match, and results by board; a team that is left out keeps its line-up.

    Raises NotFound, Conflict or Refused with a pointer below ``/line_ups`` or ``/results``; then nothing is written.
    """
    enter_line_ups(league, now, number, line_ups, by)
    if not results:
        return
    match = _load_match(league, number, now)[1]
    boards = {board.board: board for board in match.boards}
    for place, result in sorted(results.items()):
        board = boards.get(place)
        if board is None:
            message = _("Match {match} has no board {board}.").format(match=number, board=place)
            raise Refused.of([Problem(f"/results/{place - 1}", "unknown_board", message)])
        empty = {team for team, member in zip(board.entries, board.members, strict=True) if member == 0}
        if empty:
            _check_walkover(place, result, empty)
        elif result.losers:
            forfeit_in(league, now, board.number, result.losers, Fixture.Reason.OTHER.value, by)
        elif result.scores is not None:
            scores = result.scores if board.entries == match.entries else result.scores[::-1]
            record_in_match(league, now, board.number, scores, by)


def _check_walkover(place: int, result: BoardResult, empty: Collection[int]) -> None:
    """Raise Refused if the result of a board is not that of its empty seats, which needs no entry."""
    if set(result.losers) != empty:
        message = _("Board {board}: an empty seat loses without play, so its result cannot be another one.")
        raise Refused.of([Problem(f"/results/{place - 1}", "line_up", message.format(board=place))])


def enter_line_ups(league: League, now: datetime, number: int, line_ups: LineUps, by: str) -> None:
    """Enter line-ups in a locked league."""
    loaded, match = _load_match(league, number, now)
    _check_line_ups(loaded, match, line_ups)
    changed = _change_boards(loaded, match, line_ups) if match.boards else _make_boards(loaded, match, line_ups)
    rows = loaded.competition.fixtures.filter(number__in=changed).select_related("round", "game").order_by("number")
    if changed:
        append_change(
            league, now, by, ChangeKind.FIXTURE_CHANGED, loaded.competition,
            fixtures=FIXTURE_LOG.build_payloads(rows, competition=loaded.competition.slug),
            members={"fixture": number},
        )  # fmt: skip


def forfeit_match(league: League, now: datetime, number: int, loser: int, by: str) -> None:
    """Leave the seats of a team empty on all boards that have no result, in a locked league."""
    loaded, match = _load_match(league, number, now)
    played = {board.board: _list_members(board, loser) for board in match.boards if board.game is not None}
    line_up = [played.get(board, 0) or 0 for board in range(1, loaded.competition.sides_of + 1)]
    enter_line_ups(league, now, number, {loser: line_up}, by)


def _load_match(league: League, number: int, now: datetime) -> tuple[LoadedCompetition, FixtureState]:
    row = find_playable_fixture(league, number).row
    competition: Competition = row.competition
    competition.league = league
    check_running(competition)
    loaded = load_competition(competition, now)
    match = loaded.find_fixture(number)
    if match is None or match.kind != Fixture.Kind.MATCH or match.status == "cancelled":
        message = _("Fixture {number} is no match of teams, or it was cancelled.").format(number=number)
        raise Refused.of([Problem("/line_ups", "no_match", message)])
    return loaded, match


def _check_line_ups(loaded: LoadedCompetition, match: FixtureState, line_ups: LineUps) -> None:
    """Raise Refused with each seat that cannot be taken, and Conflict if a board has another player's game."""
    problems = [
        problem for team, members in line_ups.items() for problem in _find_problems(loaded, match, team, members)
    ]
    if problems:
        raise Refused.of(problems)
    for team, members in line_ups.items():
        for board in match.boards:
            place = members[(board.board or 1) - 1]
            if board.game is not None and _list_members(board, team) != place:
                template = _("Board {board} has a result: game {game}. Correct or void that game first.")
                message = template.format(board=board.board, game=board.game.number)
                pointer = f"/line_ups/{match.entries.index(team)}/{(board.board or 1) - 1}"
                raise Conflict(message, [Problem(pointer, "played", message)], {"game": board.game.number})


def _list_members(board: FixtureState, team: int) -> int | None:
    """Return the place in the squad of who sits on a board."""
    return dict(zip(board.entries, board.members, strict=True)).get(team)


def _find_problems(
    loaded: LoadedCompetition, match: FixtureState, team: int, members: Sequence[int]
) -> Iterator[Problem]:
    if team not in match.entries:
        message = _("Entry {entry} is not in fixture {number}.").format(entry=team, number=match.number)
        yield Problem("/line_ups", "unknown_entry", message)
        return
    pointer, boards = f"/line_ups/{match.entries.index(team)}", loaded.competition.sides_of
    if len(members) != boards:
        template = ngettext(
            "A line-up has a place for {count} board; 0 is an empty seat.",
            "A line-up has a place for each of {count} boards; 0 is an empty seat.",
            boards,
        )
        yield Problem(pointer, "count", template.format(count=boards))
        return
    before = 0
    for at, member in enumerate(members):
        player = find_member(loaded.entries, team, member)
        seat = {"team": loaded.name(team), "board": at + 1, "player": player.name if player else ""}
        if member == 0:
            continue
        if player is None:
            message = _("{team}, board {board}: the squad has no player {member}.").format(member=member, **seat)
            yield Problem(f"{pointer}/{at}", "unknown_member", message)
        elif member in members[:at]:
            message = _("{team}, board {board}: {player} already has a board.").format(**seat)
            yield Problem(f"{pointer}/{at}", "twice", message)
        elif member < before:
            other = find_member(loaded.entries, team, before)
            template = _("{team}, board {board}: {player} is before {other} in the squad, and must have a lower board.")
            message = template.format(other=other.name if other else before, **seat)
            yield Problem(f"{pointer}/{at}", "board_order", message)
        before = max(before, member)


def _make_boards(loaded: LoadedCompetition, match: FixtureState, line_ups: LineUps) -> list[int]:
    """Write the boards of a match; return their numbers."""
    new = []
    for board in range(1, loaded.competition.sides_of + 1):
        teams = order_seats(match.entries[0], match.entries[1], board)
        members = [line_ups[team][board - 1] if team in line_ups else None for team in teams]
        shared = {"match": match.number, "adjourned": match.adjourned, **read_plan(match)}
        new.append(NewFixture(teams, match.round, board=board, members=members, **shared))
    written = write_fixtures(loaded.competition, loaded.rounds, new)
    return [fixture.number for fixture, _row in written]


def _change_boards(loaded: LoadedCompetition, match: FixtureState, line_ups: LineUps) -> list[int]:
    """Write who sits on the boards of a match; return the numbers of the changed ones."""
    changed = []
    for board in match.boards:
        wanted = {team: members[(board.board or 1) - 1] for team, members in line_ups.items()}
        own = {team: member for team, member in wanted.items() if _list_members(board, team) != member}
        for team, member in own.items():
            seats = FixtureSeat.objects.filter(league=loaded.competition.league_id, fixture=board.pk)
            seats.filter(entry__number=team).update(member=member)
        changed += [board.number] if own else []
    return changed
