"""Reports of fixtures: a game for the fixture settles them on every face, and they wait again once it is void."""

from collections.abc import Callable
from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from league.apps.competitions.services.competitions import cancel_competition, finish_competition
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import NewFixture, add_fixtures
from league.apps.imports.services.run import ImportOptions, import_games
from league.apps.reports.models import Report
from league.apps.reports.services.answering import confirm_report, dispute_report
from league.core.games.services.batches import record_together
from league.core.games.services.record import correct_game, record_game, restore_game, void_game
from league.core.games.services.split_players import undo_split
from league.core.verify.run import verify_league
from league.models import Game, League
from tests.helpers.builders import league_of, sheet
from tests.helpers.desk_client import PAD, page_messages, page_text, sheet_fields, sign_in_member
from tests.helpers.ladder_builders import clock
from tests.helpers.paste_builders import press, shown
from tests.helpers.report_builders import link_of, played, reported, reporting_club
from tests.helpers.running_competitions import run_competition, scores
from tests.helpers.shared import built_once
from tests.helpers.split_builders import split_anna
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
built = built_once(reporting_club)
#: What the reports say: Anna 1–0, and Ben that it was a draw.
WON, DRAWN = (1, 0), (0.5, 0.5)
FORFEIT = {"_forfeit": "1", "losers": ["1"], "forfeit_reason": "no_show"}


def club_with_reports() -> tuple[League, Report, Report]:
    """Return a league with a fixture of two, both of whom have reported it, differently."""
    league = league_of()
    run_competition(league, ("anna", "ben"), "free")
    add_fixtures(league.pk, "cup", [NewFixture([1, 2])], by="olga")
    return league, report_of(league, "anna", WON), report_of(league, "ben", DRAWN)


def report_of(league: League, sender: str, result: tuple[float, float]) -> Report:
    """Report a result of fixture 1."""
    return reported(link_of(league, sender), played(("anna", "ben"), result, fixture=1))


def states(*reports: Report) -> list[tuple[str, int | None]]:
    """Return the state of each report, and the number of its game."""
    found = [Report.objects.select_related("game").get(pk=report.pk) for report in reports]
    return [(report.state, None if report.game is None else report.game.number) for report in found]


def import_csv(league: League) -> None:
    """Record a game by a file."""
    lines = [f"1,{timezone.now():%Y-%m-%d},{name},{score}" for name, score in (("anna", 1), ("ben", 0))]
    import_games(league.pk, BytesIO("\n".join(["game_id,played_at,player,score", *lines]).encode()), ImportOptions("x"))


def paste(league: League) -> None:
    """Record a game by a text that is pasted."""
    olga = sign_in_member("olga", "owner", league)
    assert press(olga, shown(olga, "Anna - Ben 1-0"), _record="yes").redirect_chain


def type_on_pad(league: League) -> None:
    """Record a game on the score pad, and say that the other report is to be settled."""
    olga = sign_in_member("olga", "owner", league)
    asked = olga.post(PAD, sheet_fields(("anna", "1"), ("ben", "0")))
    name, value = asked.context["question"].answer
    olga.post(PAD, sheet_fields(("anna", "1"), ("ben", "0"), **{name: value}))


#: Face -> what records Anna's win on it.
FACES: dict[str, Callable[[League], object]] = {
    "one game": lambda league: record_game(league.pk, sheet(("anna", "ben"), WON), by="olga"),
    "batch": lambda league: record_together(league.pk, [sheet(("anna", "ben"), WON)], username="olga"),
    "fixture": lambda league: record_result(league.pk, 1, scores(*WON), by="olga"),
    "file": import_csv,
    "paste": paste,
    "pad": type_on_pad,
}


@long_way
@pytest.mark.parametrize("face", FACES)
def test_a_game_of_a_fixture_settles_its_reports_on_every_face_and_they_wait_again_once_it_is_void(face: str) -> None:
    league, won, drawn = club_with_reports()
    FACES[face](league)
    (game,) = Game.objects.filter(number__gt=2)
    assert states(won, drawn) == [("confirmed", 3), ("refused", None)]
    void_game(league.pk, game.number, reason="Not theirs.", username="olga")
    assert states(won, drawn) == [("waiting", None), ("waiting", None)]
    reopened = Report.objects.get(pk=drawn.pk)
    assert (reopened.reason, reopened.decided_by, reopened.decided_at, reopened.state_before) == ("", "", None, "")
    # The game settles them again.
    restore_game(league.pk, 3, reason="It was.", username="olga")
    assert states(won, drawn) == [("confirmed", 4), ("refused", None)]
    assert verify_league(league.pk).state == "is right"


def test_a_report_waits_again_as_it_did_and_for_the_organiser_once_its_time_has_run_out() -> None:
    league, won, drawn = club_with_reports()
    dispute_report(link_of(league, "ben"), won.pk, reason="It was a draw.")
    record_result(league.pk, 1, scores(0, 1), by="olga")
    assert states(won, drawn) == [("refused", None), ("refused", None)]
    with clock(timezone.now() + timedelta(hours=league.report_hours + 1)):
        # A correction of the game keeps the fixture's result; only what is void is none.
        correct_game(league.pk, 3, sheet(("anna", "ben"), (0, 1), note="Time"), reason="Noted.", username="olga")
        assert states(won, drawn) == [("refused", None), ("refused", None)]
        void_game(league.pk, 4, reason="No.", username="olga")
    assert states(won, drawn) == [("disputed", None), ("overdue", None)]
    assert verify_league(league.pk).state == "is right"


def test_a_report_that_is_a_game_by_itself_stays_decided() -> None:
    league, won, drawn = club_with_reports()
    confirm_report(link_of(league, "ben"), won.pk)
    assert states(won, drawn) == [("confirmed", 3), ("refused", None)]
    void_game(league.pk, 3, reason="No.", username="olga")
    assert states(won, drawn) == [("confirmed", 3), ("waiting", None)]


@pytest.mark.parametrize("goes_on", [False, True])
def test_what_is_void_after_the_end_reopens_nothing_whether_or_not_another_competition_runs(*, goes_on: bool) -> None:
    league, won, drawn = club_with_reports()
    record_result(league.pk, 1, scores(*WON), by="olga")
    if goes_on:
        run_competition(league, ("cleo", "dan"), "free", slug="other", title="Other")
    finish_competition(league.pk, "cup", by="olga")
    assert league_of().attaches_games == goes_on
    settled = [("confirmed", 3), ("refused", None)]
    void_game(league.pk, 3, reason="No.", username="olga")
    # Nobody could confirm a report: the cup is not running.
    assert states(won, drawn) == settled
    assert verify_league(league.pk).state == "is right"


@pytest.mark.parametrize("goes_on", [False, True])
def test_a_game_that_counts_again_after_the_end_settles_what_waited(*, goes_on: bool) -> None:
    league, won, drawn = club_with_reports()
    record_result(league.pk, 1, scores(*WON), by="olga")
    void_game(league.pk, 3, reason="No.", username="olga")
    if goes_on:
        run_competition(league, ("cleo", "dan"), "free", slug="other", title="Other")
    cancel_competition(league.pk, "cup", by="olga")
    assert states(won, drawn) == [("waiting", None), ("waiting", None)]
    restore_game(league.pk, 3, reason="It was.", username="olga")
    assert states(won, drawn) == [("confirmed", 4), ("refused", None)]
    assert verify_league(league.pk).state == "is right"


def test_after_a_correction_the_reports_that_say_the_same_now_are_the_game() -> None:
    league, won, drawn = club_with_reports()
    record_result(league.pk, 1, scores(*WON), by="olga")
    assert states(won, drawn) == [("confirmed", 3), ("refused", None)]
    correct_game(league.pk, 3, sheet(("anna", "ben"), DRAWN), reason="Misread.", username="olga")
    assert states(won, drawn) == [("refused", None), ("confirmed", 4)]
    # Only the note is another: the game that counts is named.
    correct_game(league.pk, 4, sheet(("anna", "ben"), DRAWN, note="Time"), reason="Noted.", username="olga")
    assert states(won, drawn) == [("refused", None), ("confirmed", 5)]
    assert Report.objects.get(pk=won.pk).reason == "Fixture 1 has its result already: game 5."
    restore_game(league.pk, 3, reason="It was right.", username="olga")
    assert states(won, drawn) == [("confirmed", 6), ("refused", None)]
    void_game(league.pk, 6, reason="No.", username="olga")
    assert states(won, drawn) == [("waiting", None), ("waiting", None)]
    assert verify_league(league.pk).state == "is right"


def test_a_report_that_is_a_game_by_itself_stays_so_after_a_correction_that_says_the_same() -> None:
    league, won, drawn = club_with_reports()
    again = report_of(league, "ben", WON)
    confirm_report(link_of(league, "ben"), won.pk)
    assert states(won, drawn, again) == [("confirmed", 3), ("refused", None), ("refused", None)]
    correct_game(league.pk, 3, sheet(("anna", "ben"), WON, note="Time"), reason="Noted.", username="olga")
    assert states(won, drawn, again) == [("confirmed", 3), ("refused", None), ("refused", None)]
    correct_game(league.pk, 4, sheet(("anna", "ben"), DRAWN), reason="Misread.", username="olga")
    assert states(won, drawn, again) == [("confirmed", 3), ("confirmed", 5), ("refused", None)]


def test_reports_wait_again_while_the_game_of_their_fixture_is_corrected_to_other_players() -> None:
    league, won, drawn = club_with_reports()
    record_result(league.pk, 1, scores(*WON), by="olga")
    settled = [("confirmed", 5), ("refused", None)]
    correct_game(league.pk, 3, sheet(("cleo", "dan"), WON), reason="Misread.", username="olga")
    assert states(won, drawn) == [("waiting", None), ("waiting", None)]
    correct_game(league.pk, 4, sheet(("anna", "ben"), WON), reason="It was right.", username="olga")
    assert states(won, drawn) == settled
    # Restoring either of them is the same.
    restore_game(league.pk, 4, reason="Misread.", username="olga")
    assert states(won, drawn) == [("waiting", None), ("waiting", None)]
    restore_game(league.pk, 3, reason="It was right.", username="olga")
    assert states(won, drawn) == [("confirmed", 7), ("refused", None)]
    assert verify_league(league.pk).state == "is right"


def test_reports_wait_again_once_the_original_of_a_game_that_was_corrected_into_their_fixture_counts() -> None:
    league, won, drawn = club_with_reports()
    record_game(league.pk, sheet(("cleo", "dan"), WON), by="olga")
    correct_game(league.pk, 3, sheet(("anna", "ben"), WON), reason="Misread.", username="olga")
    assert states(won, drawn) == [("confirmed", 4), ("refused", None)]
    restore_game(league.pk, 3, reason="It was right.", username="olga")
    assert states(won, drawn) == [("waiting", None), ("waiting", None)]
    assert verify_league(league.pk).state == "is right"


def test_reports_wait_again_while_the_game_of_their_fixture_is_split_off_to_others() -> None:
    league, won, drawn = club_with_reports()
    record_result(league.pk, 1, scores(*WON), by="olga")
    # One other player stands for the entry that has none: it is still a result of the fixture.
    correct_game(league.pk, 3, sheet(("anna", "dan"), WON), reason="Misread.", username="olga")
    assert [state for state, _number in states(won, drawn)] == ["confirmed", "refused"]
    split = split_anna(league, [4], into="cleo")
    assert states(won, drawn) == [("waiting", None), ("waiting", None)]
    undo_split(league.pk, split.numbers, reason="It was right.", username="olga", allow=lambda leagues: None)
    assert states(won, drawn) == [("confirmed", 6), ("refused", None)]
    assert verify_league(league.pk).state == "is right"


def test_the_pad_asks_before_it_records_another_result_than_a_report_and_undo_brings_the_report_back(
    olga: Client,
) -> None:
    league = league_of()
    sign_in = sign_in_member("rita", "recorder", league)
    run_competition(league, ("anna", "ben"), "free")
    add_fixtures(league.pk, "cup", [NewFixture([1, 2])], by="olga")
    won = report_of(league, "anna", WON)
    draw: dict[str, Any] = sheet_fields(("ben", "0.5"), ("anna", "0.5"))
    page = sign_in.post(PAD, draw)
    assert page.context["question"].text == "Anna reported 0–1; you record ½–½."
    assert "This game was not recorded." in page_text(page)
    assert (Game.objects.count(), states(won)) == (2, [("waiting", None)])
    script = sign_in.post(PAD, draw, headers={"Accept": "application/json"})
    assert (script.status_code, script.json()) == (422, {"why": "Anna reported 0–1; you record ½–½."})
    # The answer is to what was read: it is asked again once somebody has disputed the report.
    name, value = page.context["question"].answer
    dispute_report(link_of(league, "ben"), won.pk, reason="It was a draw.")
    page = sign_in.post(PAD, {**draw, name: value})
    assert page.context["question"].text == "Anna reported 0–1; you record ½–½."
    answer = page.context["question"].answer[1]
    # Nor is it the answer to another result.
    for other in (sheet_fields(("ben", "1"), ("anna", "0")), sheet_fields(("ben", "0"), ("anna", "0"), kind="forfeit")):
        page = sign_in.post(PAD, {**other, name: answer})
        assert page.context["question"].answer[1] != answer
        assert (Game.objects.count(), states(won)) == (2, [("disputed", None)])
    sign_in.post(PAD, {**draw, "note": "Late.", name: answer})
    assert (Game.objects.count(), states(won)) == (3, [("refused", None)])
    sign_in.post("/admin/leagues/club/games/3/undo/")
    assert states(won) == [("disputed", None)]
    # What says the same is not asked.
    assert sign_in.post(PAD, sheet_fields(("anna", "1"), ("ben", "0"))).status_code == 302
    assert states(won) == [("confirmed", 4)]
    assert "Anna reported" not in page_text(sign_in.get(PAD))


def test_a_forfeit_is_asked_in_words() -> None:
    league = league_of()
    olga = sign_in_member("olga", "owner", league)
    run_competition(league, ("anna", "ben"), "free")
    add_fixtures(league.pk, "cup", [NewFixture([1, 2])], by="olga")
    report_of(league, "anna", WON)
    page = olga.post(PAD, sheet_fields(("anna", "1"), ("ben", "0"), kind="forfeit"))
    assert page.context["question"].text == "Anna reported 1–0; you record a forfeit."


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (
            {"quick": "0-1"},
            "Anna 0–1 Ben. The report of Anna, 1–0, was rejected. The report of Ben, ½–½, was rejected.",
        ),
        ({"quick": "1-0"}, "Anna 1–0 Ben. The report of Ben, ½–½, was rejected."),
        (
            {"_forfeit": "1", "losers": ["1"], "forfeit_reason": "no_show"},
            "Fixture 1: the forfeit was recorded. The report of Anna",
        ),
    ],
)
def test_a_key_of_a_fixture_says_which_reports_it_has_rejected(sent: dict[str, Any], said: str) -> None:
    league, *_reports = club_with_reports()
    arbiter = sign_in_member("rita", "organiser", league)
    page = arbiter.post("/admin/leagues/club/competitions/cup/fixtures/1/", {"once": "key-0001", **sent}, follow=True)
    assert page_messages(page).startswith(said)
