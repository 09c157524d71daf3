"""Competitions of teams: squads, line-ups, boards that are games of the league, and both kinds of points."""

from io import BytesIO
from typing import Any

import pytest

from league.apps.competitions.models import Fixture
from league.apps.competitions.selectors.standings import compute_standings
from league.apps.competitions.selectors.trail import ADJOURNED, load_trail
from league.apps.competitions.services.entries import change_entry, withdraw_entry
from league.apps.competitions.services.fixtures import change_fixture
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import make_round, publish_round, undo_round
from league.apps.competitions.services.team_matches import BoardResult, enter_match
from league.core.errors import Conflict, Refused, RungsError
from league.core.games.services.game_input import NewGame, NewResult
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import League
from tests.helpers.ladder_builders import clock, utc
from tests.helpers.restore_builders import export_of
from tests.helpers.team_cups import find_match, load, make_cup, play
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db


def list_standings(league: League) -> list[tuple[int, str, float, float]]:
    loaded = load(league)
    return [
        (row.rank, loaded.name(row.entry), float(row.points), float(row.values["MPVGP"] or 0))
        for row in compute_standings(loaded).rows
    ]


def catch(error: type[RungsError], run: Any) -> list[tuple[str, str, str]]:
    with pytest.raises(error) as refused:
        run()
    return [(problem.pointer, problem.code, problem.detail) for problem in refused.value.problems]


@long_way
def test_matches_give_match_points_and_their_boards_are_rated_games() -> None:
    league = make_cup()
    assert [one.kind for one in load(league).fixtures] == ["match"] * 6
    number = play(league, 1, 2, (1, 0), (0.5, 0.5))
    assert list_standings(league) == [
        (1, "Owls", 2.0, 1.5), (2, "Rooks", 0.0, 0.5), (3, "Jays", 0.0, 0.0), (3, "Kites", 0.0, 0.0),
    ]  # fmt: skip
    match = load(league).find_fixture(number)
    assert match.status == "played"
    # White on board 1 is the first team, on board 2 the second.
    assert [board.entries for board in match.boards] == [match.entries, match.entries[::-1]]
    games = list(league.games.order_by("number"))
    assert [game.kind for game in games] == ["played", "played"]
    first = [line.player.handle for line in games[0].results.order_by("seat")]
    assert first == [["anna", "dan"][entry != 1] for entry in match.entries]
    assert verify_league(league.pk).state == "is right"
    play(league, 3, 4, (0, 1), (0.5, 0.5))
    play(league, 1, 3, (1, 0), (1, 0))
    assert list_standings(league)[:2] == [(1, "Owls", 4.0, 3.5), (2, "Kites", 2.0, 1.5)]


def test_a_board_order_against_the_squad_is_refused_and_writes_nothing() -> None:
    league = make_cup()
    match = find_match(league, 1, 2)

    def run(line_ups: dict[int, list[int]]) -> list[tuple[str, str, str]]:
        return catch(Refused, lambda: enter_match(league.pk, match.number, line_ups, by="test"))

    at = match.entries.index(1)
    assert run({1: [2, 1]}) == [
        (
            f"/line_ups/{at}/1",
            "board_order",
            "Owls, board 2: Anna is before Ben in the squad, and must have a lower board.",
        )
    ]
    assert run({1: [1, 1], 2: [1, 4]}) == [
        (f"/line_ups/{at}/1", "twice", "Owls, board 2: Anna already has a board."),
        (f"/line_ups/{1 - at}/1", "unknown_member", "Rooks, board 2: the squad has no player 4."),
    ]
    assert run({3: [1, 2]})[0][1] == "unknown_entry"
    assert run({1: [1]})[0][1] == "count"
    assert not Fixture.objects.filter(match__isnull=False).exists()


def test_substitutes_empty_seats_and_a_team_that_does_not_come() -> None:
    league = make_cup()
    play(league, 1, 2, (1, 0), line_ups={1: [2, 3], 2: [2, 0]})
    assert list_standings(league)[0] == (1, "Owls", 2.0, 2.0)
    match = find_match(league, 1, 2)
    assert [board.status for board in match.boards] == ["played", "forfeited"]
    enter_match(league.pk, find_match(league, 3, 4).number, {3: [0, 0], 4: [1, 2]}, by="test")
    assert list_standings(league)[:2] == [(1, "Owls", 2.0, 2.0), (1, "Kites", 2.0, 2.0)]
    assert find_match(league, 3, 4).status == "forfeited"
    assert catch(Conflict, lambda: enter_match(league.pk, match.number, {1: [1, 3]}, by="test"))[0][1] == "played"
    assert verify_league(league.pk).state == "is right"


def test_the_result_of_an_empty_seat_may_be_entered_as_it_stands_but_not_as_another_one() -> None:
    league = make_cup()
    match = find_match(league, 1, 2)
    at = {team: match.entries.index(team) for team in (1, 2)}
    line_ups, played = {1: [1, 2], 2: [1, 0]}, BoardResult((1, 0) if at[1] == 0 else (0, 1))
    for wrong in (BoardResult((0.5, 0.5)), BoardResult(losers=(1,)), BoardResult(losers=(1, 2))):

        def run(wrong: BoardResult = wrong) -> None:
            enter_match(league.pk, match.number, line_ups, {1: played, 2: wrong}, by="test")

        message = "Board 2: an empty seat loses without play, so its result cannot be another one."
        assert catch(Refused, run) == [("/results/1", "line_up", message)]
    assert not league.games.exists() and not find_match(league, 1, 2).boards
    enter_match(league.pk, match.number, line_ups, {1: played, 2: BoardResult(losers=(2,))}, by="test")
    assert [board.status for board in find_match(league, 1, 2).boards] == ["played", "forfeited"]
    assert list_standings(league)[0] == (1, "Owls", 2.0, 2.0)
    assert verify_league(league.pk).state == "is right"


def test_an_adjourned_match_ends_with_its_last_board() -> None:
    with clock(utc("2024-03-01T10:00")):
        league = make_cup("swiss", rounds=3)
        make_round(league.pk, "cup", by="test")
        publish_round(league.pk, "cup", 1, by="test")
    adjourned, other = load(league).list_fixtures(1)
    with clock(utc("2024-03-01T11:00")):
        play(league, *other.entries, (1, 0), (1, 0))
        change_fixture(league.pk, adjourned.number, {"adjourned": True}, by="test")
    with clock(utc("2024-03-01T12:00")):
        line_ups = {team: [1, 2] for team in adjourned.entries}
        enter_match(league.pk, adjourned.number, line_ups, {1: BoardResult((1, 0))}, by="test")
    with clock(utc("2024-03-01T13:00")):
        make_round(league.pk, "cup", by="test")
    with clock(utc("2024-03-01T14:00")):
        enter_match(league.pk, adjourned.number, {}, {2: BoardResult((0, 1))}, by="test")
        (line,) = [one for one in load_trail(load(league)) if one.kind is ADJOURNED]
    assert line.ended_at == utc("2024-03-01T14:00")


def test_games_find_their_board_by_its_players_and_a_match_takes_none() -> None:
    league = make_cup()
    match = find_match(league, 1, 2)
    new = NewGame([NewResult("", 1.0), NewResult("", 0.0)])
    assert catch(Refused, lambda: record_result(league.pk, match.number, new, by="test"))[0][1] == "match"
    enter_match(league.pk, match.number, {1: [1, 2]}, by="test")
    board = find_match(league, 1, 2).boards[0]
    assert catch(Refused, lambda: record_result(league.pk, board.number, new, by="test"))[0][1] == "line_up"
    enter_match(league.pk, match.number, {2: [1, 2]}, by="test")
    outcome = record_result(league.pk, board.number, new, by="test")
    assert Fixture.objects.get(game=outcome.game).board == 1


def test_a_swiss_system_of_teams_pairs_by_match_points_and_a_round_is_undone_with_its_boards() -> None:
    league = make_cup("swiss", rounds=3)
    make_round(league.pk, "cup", by="test")
    publish_round(league.pk, "cup", 1, by="test")
    for match in load(league).fixtures:
        play(league, *match.entries, (1, 0), (1, 0))
    make_round(league.pk, "cup", by="test")
    winners = {row.entry for row in compute_standings(load(league)).rows if row.points == 2}
    assert winners in [set(one.entries) for one in load(league).list_fixtures(2)]
    match = next(one for one in load(league).list_fixtures(2) if set(one.entries) == winners)
    enter_match(league.pk, match.number, {match.entries[0]: [1, 2]}, by="test")
    undo_round(league.pk, "cup", 2, by="test")
    assert not Fixture.objects.filter(round__number=2).exists()
    assert verify_league(league.pk).state == "is right"


def test_board_points_may_come_first_and_a_bye_has_both() -> None:
    league = make_cup("swiss", 3, rounds=2, teams={"primary": "board"})
    make_round(league.pk, "cup", by="test")
    publish_round(league.pk, "cup", 1, by="test")
    match = next(one for one in load(league).fixtures if one.kind == "match")
    play(league, *match.entries, (1, 0), (0.5, 0.5))
    rows = {
        row.entry: (float(row.points), float(row.values["MPVGP"] or 0)) for row in compute_standings(load(league)).rows
    }
    bye = ({1, 2, 3} - set(match.entries)).pop()
    assert rows == {match.entries[0]: (1.5, 2.0), match.entries[1]: (0.5, 0.0), bye: (1.0, 1.0)}


def test_who_withdraws_leaves_its_seats_empty_and_squads_are_fixed_at_the_start() -> None:
    league = make_cup()
    first = next(one for one in load(league).list_fixtures(1) if 1 in one.entries)
    play(league, *first.entries, (1, 0), (1, 0))
    withdraw_entry(league.pk, "cup", 1, by="test")
    assert [one.status for one in load(league).fixtures if 1 in one.entries] == ["played", "forfeited", "forfeited"]
    assert catch(Refused, lambda: change_entry(league.pk, "cup", 2, {"players": ["eva"]}, by="test"))[0][1] == "started"
    assert verify_league(league.pk).state == "is right"


def test_a_restored_league_has_the_same_matches_boards_and_line_ups() -> None:
    league = make_cup()
    play(league, 1, 2, (1, 0), line_ups={1: [2, 3], 2: [2, 0]})
    lines = export_of(league)
    again = restore_league(
        BytesIO("".join(f"{line}\n" for line in lines).encode()), slug="again", known_players=True, by="root"
    ).league
    assert verify_league(again.pk).state == "is right"
    assert list_standings(again) == list_standings(league)
    boards = [(board.entries, board.members, board.status) for board in find_match(league, 1, 2).boards]
    assert [(board.entries, board.members, board.status) for board in find_match(again, 1, 2).boards] == boards


def test_other_teams_at_a_table_begin_with_new_line_ups_and_a_board_changes_with_its_match_only() -> None:
    league = make_cup()
    first, second = load(league).list_fixtures(1)
    enter_match(league.pk, first.number, {first.entries[0]: [1, 2]}, by="test")
    board = load(league).find_fixture(first.number).boards[0]

    def change(number: int, changes: dict[str, Any]) -> Fixture:
        return change_fixture(league.pk, number, changes, by="test", reason="Late.")

    assert catch(Refused, lambda: change(board.number, {"cancelled": True}))[0][1] == "board"
    change(first.number, {"cancelled": True})
    assert Fixture.objects.filter(match=first.number, cancelled_at=None).count() == 0
    change(first.number, {"cancelled": False, "venue": "Hall"})
    assert {*Fixture.objects.filter(match=first.number).values_list("venue", flat=True)} == {"Hall"}
    change(first.number, {"entries": [first.entries[0], second.entries[0]]})
    assert not Fixture.objects.filter(match__isnull=False).exists()
    assert verify_league(league.pk).state == "is right"


def test_a_board_that_an_arbiter_decides_counts_by_the_points_of_boards_not_of_matches() -> None:
    league = make_cup(squads=2)
    play(league, 1, 2, (0.5, 0), (0, 0.5))
    assert [row[2:] for row in list_standings(league)] == [(1.0, 0.5)] * 2


def test_a_board_that_its_deadline_draws_counts_by_the_points_of_boards_too() -> None:
    league = make_cup(squads=2, deadline_action="draw")
    play(league, 1, 2, (1, 0))
    Fixture.objects.filter(match__isnull=False, board=2).update(deadline=league.created_at)
    assert [row[2:] for row in list_standings(league)] == [(2.0, 1.5), (0.0, 0.5)]
