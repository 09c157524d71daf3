"""Rounds that are paired while results are missing: asked for first, and those games are adjourned."""

from io import BytesIO
from typing import Any

import pytest

from league.apps.competitions.models import Fixture, Round
from league.apps.competitions.organiser.next_step import find_next_step
from league.apps.competitions.public.trail import list_shown_changes
from league.apps.competitions.selectors.exporting import export_report
from league.apps.competitions.selectors.pairing_checks import list_outdated_pairings
from league.apps.competitions.selectors.standings import compute_standings
from league.apps.competitions.services import pairing_jobs
from league.apps.competitions.services.fixtures import change_fixture
from league.apps.competitions.services.manual_pairing import make_round_by_hand
from league.apps.competitions.services.pairing_warnings import ResultsMissing
from league.apps.competitions.services.regulations import ConfirmationNeeded
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import NewRound, make_round, publish_round, undo_round
from league.apps.competitions.services.team_matches import BoardResult, enter_match
from league.core.dispatch.sweep import run_requested_job
from league.core.errors import Refused
from league.core.games.services.record import restore_game, void_game
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import Job, League, LogEntry
from ratings.tournaments.checking import check_text
from tests.helpers.api_client import Api
from tests.helpers.builders import FOUR, all_said, make_league
from tests.helpers.competition_builders import make_competition, start
from tests.helpers.desk_client import page_text, sign_in_member
from tests.helpers.restore_builders import export_of
from tests.helpers.running_competitions import loaded_cup, meetings, run_competition, scores
from tests.helpers.team_cups import load, make_cup, play
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
ROUNDS = "leagues/club/competitions/cup/rounds/"
DESK = "/admin/leagues/club/competitions/cup/"
CONFIRMED = ("no_result",)


def make_open_round(**settings: Any) -> League:
    """Start a Swiss system of four in which 4 won against 2, and 1 and 3 have no result; 1 and 4 had White."""
    league = make_league(players=FOUR, game="Chess")
    run_competition(league, FOUR, rounds=3, parameters={"first_colour": "white"}, tie_breaks=["BH"], **settings)
    make_round(league.pk, "cup", by="olga")
    publish_round(league.pk, "cup", 1, by="olga")
    assert meetings(league, 1) == [(1, 3), (4, 2)]
    record_result(league.pk, 2, scores(1, 0), by="olga")
    return league


def list_adjourned(league: League) -> list[int]:
    return list(
        Fixture.objects.filter(league=league, adjourned=True).order_by("number").values_list("number", flat=True)
    )


def list_points(league: League) -> dict[int, float]:
    return {row.entry: float(row.points) for row in compute_standings(loaded_cup(league)).rows}


def test_a_round_is_paired_with_a_result_missing_only_if_that_is_confirmed() -> None:
    league = make_open_round()
    entries = LogEntry.objects.count()
    with pytest.raises(Refused, match=r"Round 1: .* have no result yet") as refused:
        make_round(league.pk, "cup", by="olga")
    assert "The round can be paired without them" in str(refused.value)
    assert isinstance(refused.value, ConfirmationNeeded)
    assert [(one.code, one.level, one.pointer) for one in refused.value.warnings] == [("no_result", 2, "/fixtures/1")]
    assert (LogEntry.objects.count(), list_adjourned(league)) == (entries, [])
    make_round(league.pk, "cup", by="olga", confirmed=CONFIRMED)
    publish_round(league.pk, "cup", 2, by="olga")
    # With half a point each, 1 and 3 have met; 3 had Black like 2, and 1 White like 4.
    assert meetings(league, 2) == [(3, 4), (2, 1)]
    assert list_adjourned(league) == [1]
    # A draw for the pairing alone.
    assert list_points(league) == {1: 0, 2: 0, 3: 0, 4: 1}
    said = [(kind, payload.get("round")) for kind, payload in all_said(league)]
    assert said[-3:] == [("fixture.changed", 2), ("round.made", 2), ("round.published", 2)]
    assert list_outdated_pairings(loaded_cup(league)) == []
    record_result(league.pk, 1, scores(1, 0), by="olga")
    assert list_points(league) == {1: 1, 2: 0, 3: 0, 4: 1}
    assert list_outdated_pairings(loaded_cup(league)) == []
    assert verify_league(league.pk).state == "is right"
    again = restore_league(BytesIO("\n".join([*export_of(league), ""]).encode()), slug="again", known_players=True,
                           by="root").league  # fmt: skip
    assert verify_league(again.pk).state == "is right"
    assert (list_adjourned(again), list_points(again)) == ([1], list_points(league))
    assert list_outdated_pairings(loaded_cup(again)) == []


@long_way
def test_a_round_that_is_undone_takes_back_what_it_adjourned_and_no_more() -> None:
    league = make_league(players=(*FOUR, "eva", "finn"), game="Chess")
    run_competition(league, (*FOUR, "eva", "finn"), rounds=3)
    make_round(league.pk, "cup", by="olga")
    publish_round(league.pk, "cup", 1, by="olga")
    record_result(league.pk, 3, scores(1, 0), by="olga")
    change_fixture(league.pk, 2, {"adjourned": True}, by="olga")
    make_round(league.pk, "cup", by="olga", confirmed=CONFIRMED)
    assert list_adjourned(league) == [1, 2]
    undo_round(league.pk, "cup", 2, by="olga")
    assert list_adjourned(league) == [2]
    with pytest.raises(ResultsMissing) as missing:
        make_round(league.pk, "cup", by="olga")
    assert [one.pointer for one in missing.value.problems] == ["/fixtures/1"]
    kinds = [(one.line.kind.key, one.line.entries, one.text) for one in list_shown_changes(loaded_cup(league))]
    first, second = (loaded_cup(league).find_fixture(number) for number in (1, 2))
    assert first is not None and second is not None
    assert kinds == [
        ("adjourned", first.entries, "taken back"), ("adjourned", first.entries, ""), ("adjourned", second.entries, ""),
    ]  # fmt: skip
    assert verify_league(league.pk).state == "is right"
    # A result that came before the undoing stays, and is none of an adjourned game.
    make_round(league.pk, "cup", by="olga", confirmed=CONFIRMED)
    record_result(league.pk, 1, scores(1, 0), by="olga")
    undo_round(league.pk, "cup", 2, by="olga")
    assert list_adjourned(league) == [2]
    make_round(league.pk, "cup", by="olga")
    assert list_outdated_pairings(loaded_cup(league)) == []


def test_a_report_of_such_rounds_has_remarks_with_which_the_checker_agrees() -> None:
    league = make_open_round(regulations=True)
    make_round(league.pk, "cup", by="olga", confirmed=CONFIRMED)
    undo_round(league.pk, "cup", 2, by="olga")
    make_round(league.pk, "cup", by="olga", confirmed=CONFIRMED)
    publish_round(league.pk, "cup", 2, by="olga")
    with pytest.raises(Refused, match="is adjourned"):
        export_report(loaded_cup(league))
    record_result(league.pk, 1, scores(1, 0), by="olga", confirmed=("no_draw",))
    for number in (3, 4):
        record_result(league.pk, number, scores(1, 0), by="olga")
    text = export_report(loaded_cup(league)).decode().replace("\r\n", "\n")
    assert [line for line in text.splitlines() if line.startswith("###")] == [
        "### Adjournment @ Round 1: 1-3, ended after the pairing of round 2",
    ]
    assert [one.locate() for one in check_text(text).differences] == []
    # Without the remarks, the round does not follow from the results.
    plain = "\n".join(line for line in text.splitlines() if not line.startswith("###")) + "\n"
    assert {one.round for one in check_text(plain).differences} == {2}


def test_what_is_taken_back_after_the_pairing_stays_in_the_remarks() -> None:
    league = make_open_round()
    make_round(league.pk, "cup", by="olga", confirmed=CONFIRMED)
    publish_round(league.pk, "cup", 2, by="olga")
    change_fixture(league.pk, 1, {"adjourned": False}, by="olga")
    record_result(league.pk, 1, scores(1, 0), by="olga")
    text = export_report(loaded_cup(league), with_remarks=True).decode()
    assert [line.strip() for line in text.splitlines() if line.startswith("###")] == [
        "### Adjournment @ Round 1: 1-3, ended after the pairing of round 2",
        "### Adjournment @ Round 1: 1-3 without adjourned",
    ]
    assert [one.locate() for one in check_text(text).differences] == []


def test_a_report_with_the_mark_is_read_again_and_the_game_is_still_adjourned() -> None:
    league = make_open_round()
    make_round(league.pk, "cup", by="olga", confirmed=CONFIRMED)
    publish_round(league.pk, "cup", 2, by="olga")
    text = export_report(loaded_cup(league))
    assert text.count(b"?") == 2
    make_league(slug="other", game="Chess")
    path = "leagues/other/competitions/import/?title=Cup"
    assert Api("organise").post_file(path, text, "application/x-trf").status_code == 201
    other = League.objects.get(slug="other")
    assert [one.entries for one in loaded_cup(other).fixtures if one.adjourned] == [(1, 3)]


def test_a_game_that_was_void_and_is_restored_later_was_a_draw_for_the_round() -> None:
    league = make_open_round()
    record_result(league.pk, 1, scores(1, 0), by="olga")
    void_game(league.pk, 2, reason="Misread.", username="olga")
    make_round(league.pk, "cup", by="olga", confirmed=CONFIRMED)
    publish_round(league.pk, "cup", 2, by="olga")
    restore_game(league.pk, 2, reason="It was right.", username="olga")
    text = export_report(loaded_cup(league), with_remarks=True).decode()
    assert "### Adjournment @ Round 1: 1-3, ended after the pairing of round 2" in text
    assert [one.locate() for one in check_text(text).differences] == []


def test_the_api_refuses_as_before_says_how_and_takes_the_confirmation() -> None:
    league = make_open_round()
    api = Api("organise")
    for path in (ROUNDS, f"{ROUNDS}?dry_run=true"):
        answer = api.post(path, {"number": 2})
        assert (answer.status_code, answer.data["code"], answer.data["level"]) == (422, "refused", 2)
        assert [(one["pointer"], one["code"]) for one in answer.data["errors"]] == [("/fixtures/1", "no_result")]
        assert answer.data["detail"].endswith(
            "have no result yet. The round can be paired without them: they are then adjourned, and draws for the "
            "pairing alone. Confirm to go on."
        )
    body = {"number": 2, "confirm": ["no_result"]}
    assert api.post(f"{ROUNDS}?dry_run=true", body).status_code == 200
    assert list_adjourned(league) == []
    assert api.post(ROUNDS, body).status_code == 201
    fixture = api.get("leagues/club/competitions/cup/fixtures/1/").data
    assert (fixture["status"], fixture["adjourned"]) == ("planned", True)


def test_a_job_marks_what_was_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    league, api = make_open_round(), Api("organise")
    monkeypatch.setattr(pairing_jobs, "MAX_PAIRED_IN_REQUEST", {"swiss": 3})
    assert api.post(ROUNDS, {}).status_code == 422
    asked = api.post(ROUNDS, {"confirm": ["no_result"]})
    assert asked.status_code == 202
    assert run_requested_job(asked.data["id"])
    assert (Job.objects.get(pk=asked.data["id"]).state, list_adjourned(league)) == (Job.State.DONE, [1])
    assert meetings(league, 2) == [(3, 4), (2, 1)]


def test_a_result_that_came_since_the_question_counts() -> None:
    league = make_open_round()
    record_result(league.pk, 1, scores(1, 0), by="other")
    make_round(league.pk, "cup", by="olga", confirmed=CONFIRMED)
    assert list_adjourned(league) == []
    assert {1, 4} in [set(entries) for entries in meetings(league, 2)]


def test_a_round_by_hand_asks_the_same() -> None:
    league = make_open_round(regulations=True)
    with pytest.raises(ResultsMissing):
        make_round_by_hand(league.pk, "cup", NewRound("olga", confirmed=("by_hand",)))
    make_round_by_hand(league.pk, "cup", NewRound("olga", confirmed=("by_hand", "no_result")))
    assert (list_adjourned(league), meetings(league, 2)) == ([1], [])


def test_the_next_round_of_a_knock_out_needs_each_winner() -> None:
    league = make_league(players=FOUR)
    run_competition(league, FOUR, "knockout", rounds=2)
    make_round(league.pk, "cup", by="olga")
    publish_round(league.pk, "cup", 1, by="olga")
    record_result(league.pk, 1, scores(1, 0), by="olga")
    with pytest.raises(Refused, match="have no result yet") as refused:
        make_round(league.pk, "cup", by="olga", confirmed=CONFIRMED)
    assert not isinstance(refused.value, ConfirmationNeeded)
    assert find_next_step(loaded_cup(league)).early == ""


def test_a_table_without_a_result_is_a_tie_for_the_pairing() -> None:
    players = (*FOUR, "eva", "finn")
    league = make_league(players=players)
    make_competition(league, "tables", rounds=3, parameters={"size": 3})
    start(league, players)
    make_round(league.pk, "cup", by="olga")
    publish_round(league.pk, "cup", 1, by="olga")
    first, second = loaded_cup(league).list_fixtures(1)
    record_result(league.pk, first.number, scores(3, 2, 1), by="olga")
    make_round(league.pk, "cup", by="olga", confirmed=CONFIRMED)
    assert list_adjourned(league) == [second.number]
    assert verify_league(league.pk).state == "is right"


@pytest.mark.parametrize("regulations", [False, True])
def test_the_page_names_each_open_board_before_the_round_is_paired(regulations: bool) -> None:
    league = make_open_round(regulations=regulations)
    browser = sign_in_member("olga", "arbiter", league)
    page = browser.get(DESK)
    assert "1 result is missing." in page_text(page)
    assert '<input type="hidden" name="round" value="2">' in " ".join(page.content.decode().split())
    asked = browser.post(DESK, {"step": "pair", "round": "2"})
    text = page_text(asked)
    names = " – ".join(loaded_cup(league).name(entry) for entry in (1, 3))
    assert f"Round 1: {names} have no result yet." in text
    assert "draws for the pairing alone" in text
    assert ("The regulations warn of this" in text, "Acknowledge" in text) == (regulations, regulations)
    assert text.count("Pair round 2 without 1 result") == (0 if regulations else 2)
    assert not Round.objects.filter(number=2).exists()
    browser.post(DESK, {"step": "pair", "round": "2", "confirm": "no_result"})
    assert list_adjourned(league) == [1]
    undone = browser.get(f"{DESK}?round=1")
    # The head has the round in play.
    assert "Running · round 2 " in page_text(undone)
    # What is undone is the last round, whichever is shown.
    assert '<input type="hidden" name="round" value="2">' in " ".join(undone.content.decode().split())


def test_before_the_first_result_the_next_round_is_not_offered() -> None:
    league = make_league(players=FOUR)
    run_competition(league, FOUR, rounds=3)
    make_round(league.pk, "cup", by="olga")
    publish_round(league.pk, "cup", 1, by="olga")
    assert find_next_step(loaded_cup(league)).early == ""
    record_result(league.pk, 1, scores(1, 0), by="olga")
    step = find_next_step(loaded_cup(league))
    assert (step.action, step.label, step.number, step.early) == ("", "", 2, "Pair round 2")


@long_way
@pytest.mark.parametrize("primary", ["match", "board"])
def test_open_boards_of_a_match_are_draws_for_the_pairing(primary: str) -> None:
    league = make_cup("swiss", rounds=3, teams={"primary": primary})
    make_round(league.pk, "cup", by="olga")
    publish_round(league.pk, "cup", 1, by="olga")
    first, second = load(league).list_fixtures(1)
    # The first board of a match is played, of the other match nothing.
    enter_match(
        league.pk, first.number, {entry: [1, 2] for entry in first.entries}, {1: BoardResult((1, 0))}, by="olga"
    )
    with pytest.raises(ResultsMissing) as missing:
        make_round(league.pk, "cup", by="olga")
    assert {one.pointer for one in missing.value.problems} == {f"/fixtures/{one.number}" for one in (first, second)}
    make_round(league.pk, "cup", by="olga", confirmed=CONFIRMED)
    publish_round(league.pk, "cup", 2, by="olga")
    boards = [board.number for board in load(league).find_fixture(first.number).boards]
    assert list_adjourned(league) == sorted([first.number, second.number, *boards])
    # 1½–½ is won; the other match is level, and its teams have met.
    winner, loser = first.entries
    pairs = [set(one.entries) for one in load(league).list_fixtures(2)]
    assert {winner, loser} not in pairs and set(second.entries) not in pairs
    assert list_outdated_pairings(load(league)) == []
    # Its boards are written later, with an empty seat, and end otherwise.
    enter_match(league.pk, first.number, {}, {2: BoardResult((0, 1))}, by="olga")
    play(league, *second.entries, (1, 0), line_ups={second.entries[0]: [1, 2], second.entries[1]: [1, 0]})
    assert [one.status for one in load(league).list_fixtures(1)] == ["played", "played"]
    assert not any(one.adjourned for one in load(league).fixtures)
    assert list_outdated_pairings(load(league)) == []
    assert verify_league(league.pk).state == "is right"
    for one in load(league).list_fixtures(2):
        play(league, *one.entries, (1, 0), (1, 0))
    make_round(league.pk, "cup", by="olga")
    assert list_outdated_pairings(load(league)) == []
    undo_round(league.pk, "cup", 3, by="olga")
    assert first.number in list_adjourned(league)


@long_way
def test_a_match_is_adjourned_by_hand_with_its_boards_and_its_deadline_decides_nothing() -> None:
    league = make_cup("swiss", rounds=3, deadline_action="forfeit")
    make_round(league.pk, "cup", by="olga")
    publish_round(league.pk, "cup", 1, by="olga")
    first, second = load(league).list_fixtures(1)
    enter_match(league.pk, first.number, {entry: [1, 2] for entry in first.entries}, by="olga")
    for match in (first, second):
        change_fixture(league.pk, match.number, {"adjourned": True}, by="olga")
    enter_match(league.pk, second.number, {entry: [1, 2] for entry in second.entries}, by="olga")
    Fixture.objects.filter(league=league).update(deadline="2024-03-05T18:00Z")
    states = [board for one in load(league).list_fixtures(1) for board in (one, *one.boards)]
    assert {one.status for one in states} == {"planned"} and len(states) == 6
    assert all(one.adjourned for one in states)
    # Nobody is at fault if such a game has no result, so it can still get one.
    assert set(Fixture.objects.open(load(league).now).values_list("match", flat=True)) == {first.number, second.number}
    make_round(league.pk, "cup", by="olga")
    change_fixture(league.pk, first.number, {"adjourned": False}, by="olga")
    assert list_adjourned(league) == [second.number, *(one.number for one in states[4:])]
