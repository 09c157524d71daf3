"""Correcting, voiding and restoring on the desk: the sheet, the page that shows what changes, choices, the way back."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext

from league.core.dry_runs.services.diff import PeriodDiff
from league.core.errors import Busy, Refused
from league.core.games.services.decided_changes import change_and_decide
from league.core.games.services.record import correct_game, void_game
from league.core.ladders.selectors.ladders import find_latest_edition
from league.core.leaderboard.selectors import compared
from league.core.players.services.players import add_player, change_player
from league.models import Edition, Game, League, Membership, Player
from league.web.organiser.differences import describe_winners, join_names
from tests.helpers.builders import EVENING, make_league, ratings, record, sheet
from tests.helpers.desk_client import dated_sheet, page_messages, page_text, sign_in_member
from tests.helpers.desk_games import GAMES, build_closed_club, build_one_game, game_url, turned_sheet, yes_fields
from tests.helpers.dry_run_builders import check_diff, shown_after
from tests.helpers.ladder_builders import close, duel, make_ladder, period, state, tables, utc
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
BOTH = ("month/2024-03", "strength/2024-03")


def publish_all(page: Any, how: str = "publish") -> dict[str, str]:
    """Return the same choice for each period that a page asks about."""
    return dict.fromkeys(page.context["asked"], how)


def test_the_page_begins_with_what_was_changed(olga: Client) -> None:
    build_one_game()
    before = tables()
    page = olga.post(game_url(1, "correct"), dated_sheet(("anna", 0), ("ben", 1), played_at="2024-03-05T19:30"))
    assert tables() == before
    rows = [
        (row.player, row.score_before, row.score, row.change_before, row.change_after, row.changed)
        for row in page.context["tried"].rows
    ]
    assert rows == [("Anna", "1", "0", 16, -16, True), ("Ben", "0", "1", -16, 16, True)]
    said = page_text(page)
    assert "Correct game 1? Nothing has been saved yet." in said
    assert "2 rows changed; the sum is still 1. The game keeps its position among that day's games." in said
    moves = [
        (row.name, row.before, row.after, row.rank_before, row.rank_after) for row in page.context["tried"].moves.rows
    ]
    assert moves == [("Anna", 1516, 1484, 1, 2), ("Ben", 1484, 1516, 2, 1)]
    assert '<del class="was">1</del> <ins class="now">0</ins>' in page.content.decode()
    assert '>1<span class="sr"> down</span>' in page.content.decode()


@pytest.mark.parametrize("what", ["correct", "void"])
def test_what_is_shown_is_what_is_made(olga: Client, what: str) -> None:
    league = build_closed_club()
    page = olga.post(game_url(1, what), turned_sheet() if what == "correct" else {})
    assert page.context["asked"] == list(BOTH)

    def act() -> None:
        done = olga.post(game_url(1, what), yes_fields(page, choices=publish_all(page)))
        assert done["Location"] == f"{GAMES}?q=game+{5 if what == 'correct' else 1}"

    check_diff(league, page.context["tried"].diff, act)
    assert Game.objects.get(number=1).void_reason == "misread"


@long_way
def test_an_edition_is_published_or_stands_with_the_same_reason(olga: Client) -> None:
    league = build_closed_club()
    page = olga.post(game_url(1, "correct"), turned_sheet())
    said = page_text(page)
    assert "March 2024 of Month is closed edition 1, published" in said
    # March was shared by Anna and Ben with a point each; Ben has both games then.
    assert "Ben wins instead of Anna and Ben." in said
    assert "Publish edition 2" in said
    assert "Keep edition 1" in said
    assert "checked" not in page.content.decode()
    choices = {"month/2024-03": "publish", "strength/2024-03": "stand"}
    done = page_messages(olga.post(game_url(1, "correct"), yes_fields(page, choices=choices), follow=True))
    assert done.startswith(
        "Game 1 was corrected; game 5 now counts. Edition 2 of March 2024 was published. Edition 1 of"
    )
    assert Edition.objects.get(ladder__slug="month", number=2).reason == "misread"
    assert state(league, "2024-03") == state(league, "2024-03", "strength") == (True, False)
    last = find_latest_edition(period(league, "2024-03", "strength"))
    assert last is not None
    assert last.number == 1


@long_way
def test_several_decisions_are_counted_in_one_sentence(olga: Client) -> None:
    build_closed_club()
    page = olga.post(game_url(1, "correct"), turned_sheet())
    done = page_messages(olga.post(game_url(1, "correct"), yes_fields(page, choices=publish_all(page)), follow=True))
    assert done.startswith("Game 1 was corrected; game 5 now counts. 2 editions were published.")


@long_way
def test_no_reason_or_no_choice_writes_nothing_and_keeps_what_was_said(olga: Client) -> None:
    build_closed_club()
    page = olga.post(game_url(1, "correct"), turned_sheet())
    before = tables()
    for reason, choices, sentence in (
        ("", dict.fromkeys(BOTH, "stand"), "Give a reason; it is kept with the game."),
        ("misread", {"month/2024-03": "stand"}, "Decide what happens to each closed period."),
        ("misread", dict.fromkeys(BOTH, "burn"), "Decide what happens to each closed period."),
    ):
        again = olga.post(game_url(1, "correct"), yes_fields(page, reason, choices))
        assert tables() == before
        # A missing reason is said at its field, which has the focus; the page has no box for it at its top.
        assert (f"Nothing was saved. {sentence}" in page_text(again)) is bool(reason)
        assert sentence in page_text(again)
        assert ("autofocus" in again.content.decode().split('id="reason"')[1].split(">")[0]) is (not reason)
        assert f'name="reason" maxlength="500" autocomplete="off" required value="{reason}"' in again.content.decode()
        assert again.content.decode().count("checked") == sum(choice == "stand" for choice in choices.values())


@long_way
def test_many_closed_periods_are_decided_about_at_once(olga: Client) -> None:
    league = make_league(parameters={"k": 32})
    make_ladder(league, "strength", "rating_score", "month", evidence_penalty=0)
    for month in range(1, 7):
        record(league, duel("anna", "ben", f"2024-0{month}-05"))
        close(league, f"2024-0{month}", "strength")
    page = olga.post(game_url(1, "void"))
    assert page.context["together"]
    assert page.content.decode().count('type="radio"') == 2
    olga.post(game_url(1, "void"), yes_fields(page, choices={"all": "publish"}))
    assert Edition.objects.filter(number=2).count() == len(page.context["asked"]) == 6


@long_way
def test_what_was_chosen_and_said_stands_there_still_where_the_books_changed_meanwhile(olga: Client) -> None:
    league = build_closed_club()
    first = olga.post(game_url(1, "correct"), turned_sheet())
    close(league, "2024-04")
    second = olga.post(game_url(1, "correct"), yes_fields(first, choices=publish_all(first)))
    assert second.context["seen"] != first.context["seen"]
    assert second.content.decode().count("checked") == 2
    assert 'value="misread"' in second.content.decode()
    assert olga.post(game_url(1, "correct"), yes_fields(second, choices=publish_all(second))).status_code == 302


@long_way
def test_the_second_organiser_is_told_what_the_first_did(olga: Client) -> None:
    league = build_one_game()
    page = olga.post(game_url(1, "correct"), dated_sheet(("anna", 0.5), ("ben", 0.5), played_at="2024-03-05T19:30"))
    correct_game(league.pk, 1, sheet(("anna", "ben"), (0, 1)), reason="misread", username="boris")
    before = tables()
    told_so = olga.post(game_url(1, "correct"), yes_fields(page))
    assert tables() == before
    said = page_text(told_so)
    assert "Game 1 has already been corrected" in said
    assert "boris corrected it on" in said
    assert "misread Your changes were not saved." in said
    assert [(row.score_before, row.score) for row in told_so.context["rows"]] == [("1", "0"), ("0", "1")]
    assert "Moved then" not in said
    assert f'action="{game_url(2, "correct")}"' in told_so.content.decode()
    # What they typed goes on to the game that counts.
    mine = olga.post(game_url(2, "correct"), dict(told_so.context["typed"]))
    assert [(row.score_before, row.score) for row in mine.context["tried"].rows] == [("0", "½"), ("1", "½")]
    assert f'href="{game_url(2, "correct")}"' in olga.get(game_url(1, "correct")).content.decode()
    void_game(league.pk, 2, reason="never played", username="boris")
    gone = page_text(olga.post(game_url(2, "void")))
    assert "Game 2 is already void" in gone
    assert "boris voided it on" in gone
    assert "Restore game 2" in gone


def test_undo_is_one_press_where_no_closed_period_is_concerned(olga: Client) -> None:
    league = build_one_game()
    stood = ratings(league)
    page = olga.post(game_url(1, "correct"), dated_sheet(("anna", 0), ("ben", 1), played_at="2024-03-05T19:30"))
    done = olga.post(game_url(1, "correct"), yes_fields(page), follow=True)
    undo = done.context["undo"]
    assert undo["address"] == game_url(1, "restore")
    assert 'name="_commit" value="yes">Undo</button>' in done.content.decode()
    back = {name: undo[name] for name in ("seen", "once", "reason")}
    restored = olga.post(undo["address"], {**back, "_commit": "yes"}, follow=True)
    assert page_messages(restored) == "Game 1 counts again, as game 3."
    assert ratings(league) == stood
    assert olga.get(GAMES).context["undo"] is None
    # Undo of that is the correction again.
    assert restored.context["undo"]["address"] == game_url(2, "restore")


@long_way
def test_undo_of_a_void_and_of_a_plain_restoration(olga: Client) -> None:
    build_one_game()
    page = olga.post(game_url(1, "void"))
    done = olga.post(game_url(1, "void"), yes_fields(page), follow=True)
    assert done.context["undo"]["address"] == game_url(1, "restore")
    page = olga.post(game_url(1, "restore"))
    assert page.context["tried"].one_sided == "new"
    assert "The game will count again in its old position" in page_text(page)
    done = olga.post(game_url(1, "restore"), yes_fields(page), follow=True)
    assert done.context["undo"]["address"] == game_url(2, "void")
    # Who comes a second time finds that it counts already.
    assert olga.post(game_url(2, "restore"), follow=True).redirect_chain == [(f"{GAMES}?q=game+2", 302)]
    make_league(slug="other")
    assert olga.get("/admin/leagues/other/games/").context["undo"] is None


@long_way
def test_undo_where_a_closed_period_was_decided_about_asks_again(olga: Client) -> None:
    build_closed_club()
    page = olga.post(game_url(1, "correct"), turned_sheet())
    done = olga.post(game_url(1, "correct"), yes_fields(page, choices=publish_all(page)), follow=True)
    assert done.context["undo"]["seen"] == ""
    shown = olga.post(done.context["undo"]["address"], {"reason": "Undone."})
    assert shown.context["asked"] == list(BOTH)
    assert "Publish edition 3" in page_text(shown)
    back = olga.post(game_url(1, "restore"), yes_fields(shown, "Undone.", publish_all(shown)), follow=True)
    assert page_messages(back).endswith(" 2 editions were published.")


@long_way
def test_a_period_that_says_again_what_was_published_needs_no_edition(olga: Client) -> None:
    league = build_closed_club()
    correct_game(league.pk, 1, duel("ben", "anna", "2024-03-05"), reason="misread", username="olga")
    assert state(league, "2024-03") == (True, True)
    page = olga.post(game_url(1, "restore"))
    assert "A decision is already due." in page_text(page)
    done = olga.post(game_url(1, "restore"), yes_fields(page, choices=publish_all(page)), follow=True)
    assert page_messages(done) == "Game 1 counts again, as game 6."
    assert state(league, "2024-03") == (True, False)


@long_way
@override_settings(RUNGS_INLINE_GAMES=1)
def test_before_a_long_dry_run_the_page_says_so_and_what_follows_later(olga: Client) -> None:
    league = build_closed_club()
    sheet_page = olga.get(game_url(1, "correct"))
    assert "More than 1 later game is affected." in page_text(sheet_page)
    waiting = olga.get(game_url(1, "void"))
    assert "More than 1 later game is affected." in page_text(waiting)
    page = shown_after(olga, game_url(1, "void"), {})
    said = page_text(page)
    assert "3 games will be rated again in the background after you confirm; ranks follow." in said
    assert "Once the games are rated, March 2024 appears under Decisions due." in said
    assert page.context["asked"] == []
    assert [row.name for row in page.context["tried"].moves.rows][:2] == ["Anna", "Ben"]
    assert olga.post(game_url(1, "void"), yes_fields(page)).status_code == 302
    assert League.objects.get(pk=league.pk).stale_from is not None


def test_a_trouble_of_the_database_keeps_what_was_typed(olga: Client) -> None:
    build_one_game()
    busy = Busy("Many games are being recorded.")
    with patch("league.web.organiser.change_game.preview_void", side_effect=busy):
        page = olga.post(game_url(1, "void"), {"reason": "a friendly"})
    assert (page.status_code, page["Retry-After"]) == (503, "1")
    assert '<input type="hidden" name="reason" value="a friendly">' in page.content.decode()
    with patch("league.web.organiser.change_game.preview_correction", side_effect=busy):
        page = olga.post(game_url(1, "correct"), dated_sheet(("anna", 0), ("ben", 1), played_at="2024-03-05T19:30"))
    assert page.status_code == 503
    assert [form["score"].value() for form in page.context["sheet"].formset.forms] == ["0", "1"]
    again = olga.post(game_url(1, "void"), {"reason": "a friendly"})
    with patch("league.web.organiser.change_game.void_game", side_effect=busy):
        page = olga.post(game_url(1, "void"), yes_fields(again, "a friendly"))
    assert page.status_code == 503
    assert Game.objects.get().voided_at is None


def test_a_refusal_under_the_lock_is_said(olga: Client) -> None:
    league = build_one_game()
    void_game(league.pk, 1, reason="twice", username="olga")
    with patch("league.web.organiser.change_game.preview_restoration", side_effect=Refused("Anna is nobody now.")):
        page = olga.post(game_url(1, "restore"))
    assert "Nothing was saved. Anna is nobody now." in page_text(page)
    page = olga.post(game_url(1, "restore"))
    with patch("league.web.organiser.change_game.restore_game", side_effect=Refused("Anna is nobody now.")):
        page = olga.post(game_url(1, "restore"), yes_fields(page))
    assert "Nothing was saved. Anna is nobody now." in page_text(page)


def test_the_page_of_a_big_league_asks_no_more_queries(olga: Client) -> None:
    league = make_league(parameters={"k": 32})
    counts = []
    for games in (3, 12):
        for minutes in range(games):
            record(league, sheet(("anna", "ben"), (1, 0), played_at=EVENING + timedelta(minutes=minutes)))
        with CaptureQueriesContext(connection) as asked:
            olga.post(game_url(1, "void"))
        counts.append(len(asked))
    assert counts[0] == counts[1]


def test_nothing_is_decided_while_a_replay_is_on_its_way_and_nothing_that_waits_for_another_reason() -> None:
    league = build_closed_club()
    League.objects.filter(pk=league.pk).update(stale_from=EVENING)
    assert change_and_decide(league.pk, lambda: 7, {("month", "2024-03"): "stand"}, reason="x", username="olga") == (
        7,
        [],
    )
    League.objects.filter(pk=league.pk).update(stale_from=None)
    correct_game(league.pk, 1, duel("ben", "anna", "2024-03-05"), reason="misread", username="olga")
    assert change_and_decide(league.pk, lambda: 7, {("other", "2024-03"): "stand"}, reason="x", username="olga") == (
        7,
        [],
    )
    assert state(league, "2024-03") == (True, True)


@long_way
def test_a_recorder_changes_open_periods_only(olga: Client) -> None:
    league = build_closed_club()
    rita = sign_in_member("rita", Membership.Role.RECORDER, league)
    before = tables()
    for what in ("correct", "void"):
        refused = rita.post(game_url(1, what), {**turned_sheet(), "_commit": "yes", "reason": "x"}, follow=True)
        assert refused.redirect_chain == [(GAMES, 302)]
        assert (
            page_messages(refused)
            == "March 2024 of Month is closed; this needs the role “organiser” in the league club."
        )
    assert tables() == before
    page = rita.post(game_url(4, "void"))
    assert page.context["asked"] == []
    assert rita.post(game_url(4, "void"), yes_fields(page)).status_code == 302
    assert Game.objects.get(number=4).voided_by == "rita"


@pytest.mark.parametrize("what", ["correct", "void", "restore"])
def test_who_only_looks_takes_no_lock_that_writers_wait_for(olga: Client, what: str) -> None:
    """A link that is opened, fetched ahead or loaded again tries nothing out: that is for a form that was sent."""
    league = build_one_game()
    if what == "restore":
        void_game(league.pk, 1, reason="twice", username="olga")
    with patch("league.core.locking.lock_with_last", side_effect=AssertionError("the league was locked")):
        page = olga.get(game_url(1, what))
    assert page.status_code == 200
    assert "Preview changes" in page_text(page)
    if what != "correct":  # of these the list of games asks at once what they change
        assert f'<form method="post" action="{game_url(1, what)}">' in olga.get(GAMES).content.decode()
        assert f"{what.title()} game 1?" in page_text(olga.post(game_url(1, what)))
        shown = page_text(page)
        assert shown.index("Player Score Change Anna 1") < shown.index("Preview changes")
        assert ("Anna 1 +16.0 Ben 0 −16.0" in shown) is (what == "void")


def board(*rows: tuple[int, float, int]) -> compared.WholeBoard:
    """Return a board: player, score, rank."""
    players, scores, ranks = zip(*rows, strict=True)
    return compared.WholeBoard(np.array(players), np.array(scores), np.array(ranks))


def test_who_moves_is_told_the_table_first_then_the_farthest_and_the_rest_are_counted() -> None:
    keys = [add_player(f"p{number}", f"P{number}").pk for number in range(8)]
    old = board(*[(key, 10.0 * (8 - place), place + 1) for place, key in enumerate(keys)])
    after = old.score + np.array([0.0, 0.5, -0.02, 3.0, 0.004, 0.006, 0.0, 0.01])
    ranks = old.rank.copy()
    ranks[[6, 7]] = [8, 7]
    new = compared.WholeBoard(old.player, after, ranks)
    found = compared.compute_moves(old, new, [keys[2], keys[0], 10**9], 2, max_rows=5)
    assert [row.handle for row in found.rows] == ["p2", "p0", "p3", "p1", "p7"]
    assert (found.others, found.within, found.reranked, found.ranks_change) == (3, 0.01, 1, True)
    # All whose rank changes are shown, however little their rating does.
    every = compared.compute_moves(old, new, [keys[2], keys[0]], 2, max_rows=3, max_reranked=9)
    assert [row.handle for row in every.rows] == ["p2", "p0", "p3", "p7", "p6"]
    assert (every.others, every.reranked) == (3, 0)
    whole = compared.compute_moves(old, old, [], 2)
    assert (whole.rows, whole.others, whole.within, whole.ranks_change) == ([], 8, 0.0, False)
    gone = compared.compute_moves(old, board((keys[0], 80.0, 1)), [], 2, max_rows=3)
    assert (len(gone.rows), gone.others, gone.within) == (3, 5, None)
    nobody = compared.WholeBoard(np.array([], dtype=np.int64), np.array([]), np.array([], dtype=np.int64))
    assert compared.compute_moves(nobody, nobody, [keys[0]], 2).rows == []


def diff_of(before: list[str], after: list[str]) -> PeriodDiff:
    """Return a closed period with these winners."""
    winners = ([{"player": name.lower(), "name": name, "score": 1.0} for name in names] for names in (before, after))
    return PeriodDiff("month", "Month", "2024-03", "March 2024", True, [], *winners)


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (["Anna"], ["Anna"], "Anna is still first."),
        (["Anna", "Ben"], ["Anna", "Ben"], "Anna and Ben are still first."),
        ([], [], "No leader."),
        (["Anna"], [], "No winner; previously Anna."),
        ([], ["Anna"], "Anna wins."),
        (["Anna"], ["Ben", "Cleo", "Dan"], "Ben, Cleo and Dan win instead of Anna."),
    ],
)
def test_the_sentence_of_the_winners(before: list[str], after: list[str], sentence: str) -> None:
    assert describe_winners(diff_of(before, after)) == sentence
    assert join_names(list("ABCDEF")) == "A, B, C and 3 more"


def test_who_goes_back_finds_the_sheet_filled(olga: Client) -> None:
    build_one_game()
    page = olga.post(game_url(1, "correct"), dated_sheet(("anna", 0), ("ben", 1), played_at="2024-03-05T19:30"))
    fields = dict(page.context["fields"])
    again = olga.post(game_url(1, "correct"), {**fields, "seen": "x", "_edit": "back"})
    assert [form["score"].value() for form in again.context["sheet"].formset.forms] == ["0", "1"]
    assert "Nothing was written" not in page_text(again)


@long_way
def test_the_sheet_shows_names_and_refuses_what_is_no_game(olga: Client) -> None:
    build_one_game()
    add_player("ben2", "Anna")
    page = olga.get(game_url(1, "correct"))
    # Two bear the name Anna; one of them is of this league, and Ben is Ben.
    assert [form["player"].value() for form in page.context["sheet"].formset.forms][:2] == ["Anna", "Ben"]
    assert "reason" not in page.context["form"].fields
    sheet_as_it_was = {**dated_sheet(("Anna", 1), ("Ben", 0), played_at="2024-03-05T19:30"), "seats-INITIAL_FORMS": 2}
    same = olga.post(game_url(1, "correct"), sheet_as_it_was)
    assert "You have not changed anything in game 1." in page_text(same)
    wrong = olga.post(game_url(1, "correct"), dated_sheet(("Anna", 3), ("Zoran", 0), played_at="2024-03-05T19:30"))
    assert "Seat 2: no player is called “Zoran”." in page_text(wrong)
    odd = olga.post(game_url(1, "correct"), dated_sheet(("Anna", 3), ("Anna", 0), played_at="2024-03-05T19:30"))
    assert "Nothing was saved." in page_text(odd)
    assert Game.objects.count() == 1
    # A name that is somebody else's handle is not put on the sheet.
    change_player(Player.objects.get(handle="anna"), name="cleo", username="test")
    page = olga.get(game_url(1, "correct"))
    assert [form["player"].value() for form in page.context["sheet"].formset.forms][:2] == ["anna", "Ben"]


def test_a_correction_names_the_time_that_its_field_has(olga: Client) -> None:
    """At three in the night that is not the day of the evening."""
    league = make_league(time_zone="Europe/Berlin")
    record(league, replace(sheet(("anna", "ben"), (1, 0)), played_at=utc("2024-03-20T02:30")))
    page = page_text(olga.get(game_url(1, "correct")))
    assert "20 Mar 2024, 03:30" in page and "19 March" not in page


def test_more_seats_are_offered_where_more_may_play(olga: Client) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben", "cleo"), (10, 0, -10)))
    page = olga.get(game_url(1, "correct"))
    assert 'name="_more"' in page.content.decode()
    more = olga.post(game_url(1, "correct"), dated_sheet(("anna", 1), ("ben", 0), ("cleo", -1), _more="more"))
    assert len(more.context["sheet"].formset.forms) == 7


def test_what_stands_beside_the_results_is_compared(olga: Client) -> None:
    league = make_league("barbu", players=("anna", "ben", "cleo", "dan", "eva"))
    record(league, sheet(("anna", "ben", "cleo", "dan"), (10, 0, 0, -10), note="late"))
    data = dated_sheet(
        ("ben", 0), ("anna", 20), ("cleo", 0), ("eva", -10), played_at="2024-03-06T20:00", kind="friendly"
    )
    page = olga.post(game_url(1, "correct"), data)
    what = page.context["tried"]
    assert [
        (one.label, str(one.before)[-12:], one.after) for one in what.other_changes if one.label in ("Kind", "Note")
    ] == [
        ("Kind", "Played", "Friendly"),
        ("Note", "late", "none"),
    ]
    assert [(row.player_before, row.player, row.score_before, row.score) for row in what.rows] == [
        ("Ben", "Ben", "0", "0"),
        ("Anna", "Anna", "10", "20"),
        ("Cleo", "Cleo", "0", "0"),
        ("Dan", "Eva", "-10".replace("-", "−"), "−10"),
    ]
    assert "2 rows changed; the sum changes from 0 to 10." in page_text(page)
    assert "keeps its place" not in page_text(page)
    turned = olga.post(
        game_url(1, "correct"),
        dated_sheet(("ben", 0), ("anna", 10), ("cleo", 0), ("dan", -10), played_at="2024-03-05T19:30", note="late"),
    )
    changes = turned.context["tried"].other_changes
    assert [(one.label, one.after) for one in changes] == [("Seats", "Ben, Anna, Cleo, Dan")]


def test_who_leaves_the_table_and_who_comes(olga: Client) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben", "cleo", "dan"), (10, 0, -10, 0)))
    page = olga.post(
        game_url(1, "correct"), dated_sheet(("anna", 10), ("ben", 0), ("cleo", -10), played_at="2024-03-05T19:30")
    )
    assert [(row.player, row.after is None) for row in page.context["tried"].rows][-1] == ("Dan", True)
    moves = {row.name: (row.before is None, row.after is None) for row in page.context["tried"].moves.rows}
    assert moves["Dan"] == (False, True)
    assert "removed" in page_text(page)
    assert "off the board" in page_text(page)


def test_open_periods_that_others_would_lead_are_named(olga: Client) -> None:
    league = make_league(parameters={"k": 32})
    make_ladder(league)
    record(league, duel("anna", "ben", "2024-03-05"))
    said = page_text(
        olga.post(game_url(1, "correct"), dated_sheet(("anna", 0), ("ben", 1), played_at="2024-03-05T00:00"))
    )
    assert "March 2024 (Month): Ben leads instead of Anna." in said
    assert "March 2024 (Month): no leader any more." in page_text(olga.post(game_url(1, "void")))
