"""Matches of teams: what their boards give, and who sits where."""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from league.apps.competitions.models import Competition, EnteredPlayer, Entry
from ratings.contract.competition import (
    CompetitionData,
    FixtureData,
    PointsTable,
    Seat,
    TeamRules,
    parse_fraction,
)
from ratings.contract.result_table import compute_fixture_points

if TYPE_CHECKING:
    from league.apps.competitions.selectors.competition_data import FixtureState

#: Which team has White on each board from 1: W is the first team. It is repeated.
COLOURS = "WB"
#: The points that come first, and what a competition of teams states of its boards, with the usual values.
PRIMARIES = ("match", "board")
TEAM_RULES = {"primary": "match", "win": 1, "draw": 0.5, "loss": 0, "bye": None}
#: The usual points of matches, by the names of ``POINTS``.
MATCH_POINTS = {
    "win": 2, "draw": 1, "loss": 0, "pairing_bye": 1, "full_bye": 2, "half_bye": 1, "zero_bye": 0, "forfeit_win": 2,
    "forfeit_loss": 0,
}  # fmt: skip

#: The tie-breaks of a new competition of teams.
TEAM_TIE_BREAKS = ("MPVGP", "EDE", "EMGSB", "BC")


def build_team_rules(competition: Competition) -> TeamRules | None:
    """Return the rules of a competition of teams, None if its entries are none."""
    if not competition.teams:
        return None
    stated = TEAM_RULES | competition.teams
    win, draw, loss = (parse_fraction(stated[name]) for name in ("win", "draw", "loss"))
    points = PointsTable(win=win, draw=draw, loss=loss, forfeit_win=win, forfeit_loss=Fraction(0))
    bye = None if stated["bye"] is None else parse_fraction(stated["bye"])
    return TeamRules(competition.sides_of, stated["primary"], points, bye)


def order_seats(first: int, second: int, board: int) -> tuple[int, int]:
    """Return the teams of a board, White first."""
    return (first, second) if COLOURS[(board - 1) % len(COLOURS)] == "W" else (second, first)


def judge_empty_seats(state: "FixtureState") -> "FixtureState":
    """Return a board at which nobody sits on a side: that side loses without play."""
    if 0 not in state.members or state.status != "planned":
        return state
    seats = zip(state.data.seats, state.members, strict=True)
    lost = tuple([seat._replace(place=2 if member == 0 else 1) for seat, member in seats])
    return state._replace(status="forfeited", data=FixtureData(lost, "forfeit"))


def sum_board_points(board: "FixtureState", teams: TeamRules) -> dict[int, Fraction]:
    """Return entry -> its points on a board; none if it has no result."""
    if board.status not in ("played", "forfeited"):
        return {}
    data = CompetitionData((), (), teams.points)
    points = compute_fixture_points(data, board.data)
    return {seat.entry: gained for seat, gained in zip(board.data.seats, points, strict=True)}


def build_match(match: "FixtureState", boards: Sequence["FixtureState"], teams: TeamRules) -> "FixtureState":
    """Return a match with its boards, and its result if all of them have one."""
    ordered = tuple(sorted(boards, key=lambda board: board.board or 0))
    if not ordered or match.status == "cancelled":
        return match._replace(boards=ordered)
    open_boards = [board for board in ordered if board.status == "planned"]
    if open_boards or len(ordered) < teams.boards:
        planned = FixtureData(tuple([Seat(entry, points=seat.points) for entry, seat in zip(
            match.entries, match.data.seats, strict=True)]), adjourned=match.adjourned)  # fmt: skip
        return match._replace(
            status="planned", data=planned, boards=ordered, is_overdue=any(board.is_overdue for board in open_boards),
            is_decided_by_deadline=False,
        )  # fmt: skip
    points = [sum_board_points(board, teams) for board in ordered]
    rows = tuple([(row[match.entries[0]], row[match.entries[1]]) for row in points])
    first, second = (sum((row[side] for row in rows), Fraction(0)) for side in (0, 1))
    played = any(board.status == "played" for board in ordered)
    kind = "played" if played or (first and second) else "forfeit"
    places = (1 if first and first >= second else 2, 1 if second and second >= first else 2)
    seats = [
        Seat(seat.entry, place, score, seat.points)
        for seat, place, score in zip(match.data.seats, places, (first, second), strict=True)
    ]
    if kind == "played" and not (first or second):
        seats = [seat._replace(place=1, points=seat.points or Fraction(0)) for seat in seats]
    data = FixtureData(tuple(seats), kind, boards=rows)  # type: ignore[arg-type]  # one of the kinds
    return match._replace(
        status="played" if kind == "played" else "forfeited", data=data, boards=ordered, is_overdue=False,
        is_decided_by_deadline=False, was_adjourned=match.adjourned or match.was_adjourned,
    )  # fmt: skip


def draw_boards(match: "FixtureState", numbers: Collection[int], teams: TeamRules) -> "FixtureState":
    """Return a match with some of its boards drawn, and those that it does not have yet."""
    draw = FixtureData(tuple([Seat(entry, 1) for entry in match.entries]), "played")
    boards = {board.board: board for board in match.boards if board.number not in numbers}
    drawn = [
        match._replace(board=place, status="played", data=draw)
        for place in range(1, teams.boards + 1)
        if place not in boards
    ]
    return build_match(match, [*boards.values(), *drawn], teams)


def gather_boards(states: Sequence["FixtureState"], competition: Competition) -> list["FixtureState"]:
    """Return the fixtures of a competition with the boards of each match inside it."""
    teams = build_team_rules(competition)
    if teams is None:
        return list(states)
    boards: dict[int, list[FixtureState]] = {}
    for state in states:
        if state.match is not None:
            boards.setdefault(state.match, []).append(judge_empty_seats(state))
    matches = [state for state in states if state.match is None]
    return [
        build_match(state, boards.get(state.number, []), teams) if state.kind == "match" else state for state in matches
    ]


def find_member(entries: Mapping[int, Entry], entry: int, member: int | None) -> EnteredPlayer | None:
    """Return the player at a place of a squad, None if nobody sits there."""
    squad = entries[entry].survivors
    return squad[member - 1] if member and member <= len(squad) else None
