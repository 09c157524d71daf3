"""Corrections and voids on the admin site: the difference is shown before it is made, and it is what is made."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext

from league.models import Game, League, Player
from league.selectors.revision import books_revision
from league.services.leagues.leagues import adopt_rule
from league.services.players.merges import merge_players
from league.services.players.players import add_player, set_initial_rating
from league.services.recording.game_input import NewGame, NewResult
from league.services.recording.games import correct_game, record_game, void_game
from tests.helpers.admin_client import agreed, confirm
from tests.helpers.builders import make_league, ratings, record, sheet
from tests.helpers.desk_client import dated_sheet, page_html
from tests.helpers.dry_run_builders import build_two_ladders, check_diff
from tests.helpers.ladder_builders import close, duel, make_ladder, tables, utc

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.slow("Classic admin pages; the desk's tests hold their services."),
]


def address(number: int, what: str) -> str:
    """Return where a game is corrected or voided."""
    return f"/admin/league/game/{Game.objects.get(number=number).pk}/{what}/"


def swapped(reason: str = "misread", played_at: str = "2024-03-05T00:00") -> dict[str, Any]:
    """Return the sheet of game 1 with the result turned round."""
    return dated_sheet(("anna", 0), ("ben", 1), played_at=played_at, reason=reason)


def test_a_correction_is_shown_and_nothing_is_written(olga: Client) -> None:
    build_two_ladders()
    before = tables()
    page = olga.post(address(1, "correct"), swapped())
    assert tables() == before
    shown = page_html(page)
    assert "4 games would be rated anew. Nothing has been written yet." in shown
    assert "<strong>1 closed period</strong> would differ from what was published." in shown
    assert "<li>Month, March 2024</li>" in shown
    assert "Reason: misread" in shown
    # March was shared by Anna and Ben with a point each; Ben has both games then.
    assert (
        '<th scope="row">Month, March 2024</th><td>Anna <span class="num">1.00</span>, Ben <span class="num">1.00'
        '</span></td><td>Ben <span class="num">2.00</span></td>'
    ) in shown


@pytest.mark.parametrize("what", ["correct", "void"])
def test_what_is_shown_is_what_is_made(olga: Client, what: str) -> None:
    league = build_two_ladders()
    data = swapped() if what == "correct" else {"reason": "a friendly"}
    page = olga.post(address(1, what), data)

    def act() -> None:
        assert olga.post(address(1, what), agreed(page)).status_code == 302

    check_diff(league, page.context["diff"], act)
    assert Game.objects.get(number=1).void_reason == data["reason"]


def test_the_ratings_stand_side_by_side_with_their_difference(olga: Client) -> None:
    league = make_league(parameters={"k": 32})
    record(league, sheet(("anna", "ben"), (1, 0)))
    shown = page_html(olga.post(address(1, "correct"), swapped(played_at="2024-03-05T19:30")))
    assert (
        '<th scope="row">Anna</th><td class="num">1516.0</td><td class="num">1484.0</td><td class="num">−32.0</td>'
    ) in shown
    gone = page_html(olga.post(address(1, "void"), {"reason": "a friendly"}))
    assert '<td class="num">1516.0</td><td class="num">–</td><td class="num">–</td>' in gone
    assert "0 games would be rated anew." in gone


@pytest.mark.parametrize("what", ["correct", "void"])
def test_who_goes_back_finds_the_form_filled(olga: Client, what: str) -> None:
    build_two_ladders()
    data = swapped("a word") if what == "correct" else {"reason": "a word"}
    page = olga.post(address(1, what), data)
    before = tables()
    again = olga.post(address(1, what), {**dict(page.context["fields"]), "seen": page.context["seen"], "_edit": "back"})
    assert tables() == before
    assert 'value="a word"' in page_html(again)
    assert "errornote" not in page_html(again)
    if what == "correct":
        scores = [form["score"].value() for form in again.context["sheet"].formset.forms]
        assert scores[:2] == ["0", "1"]


@pytest.mark.parametrize("what", ["correct", "void"])
def test_yes_without_a_look_is_not_enough(olga: Client, what: str) -> None:
    build_two_ladders()
    before = tables()
    data = swapped() if what == "correct" else {"reason": "a friendly"}
    page = olga.post(address(1, what), {**data, "_commit": "yes"})
    assert tables() == before
    assert page.context["notice"].startswith("The books of Club have changed since you looked")


#: What may happen between the look and the yes.
MEANWHILE: dict[str, Callable[[League], object]] = {
    "a game": lambda league: record(league, duel("anna", "cleo", "2024-06-05")),
    "a late game": lambda league: record(league, duel("anna", "cleo", "2024-01-05")),
    "a void": lambda league: void_game(league.pk, 4, reason="friendly", by="ben"),
    "a correction": lambda league: correct_game(league.pk, 4, duel("anna", "cleo", "2024-04-05"), reason="x", by="ben"),
    "a rule": lambda league: adopt_rule(league.pk, "elo", {"k": 64}, by="ben"),
    "a start": lambda league: set_initial_rating(league.pk, Player.objects.get(handle="cleo"), 1700),
    "an edition": lambda league: close(league, "2024-04"),
}


@pytest.mark.parametrize("what", ["correct", "void"])
@pytest.mark.parametrize("name", MEANWHILE)
def test_books_that_changed_meanwhile_are_said_and_the_new_difference_is_shown(
    olga: Client, name: str, what: str
) -> None:
    league = build_two_ladders()
    data = swapped() if what == "correct" else {"reason": "a friendly"}
    first = olga.post(address(1, what), data)
    MEANWHILE[name](league)
    before = tables()
    second = olga.post(address(1, what), agreed(first))
    assert tables() == before
    sentence = "The books of Club have changed since you looked, and nothing was written."
    assert second.context["notice"].startswith(sentence)
    assert second.context["seen"] != first.context["seen"]

    def act() -> None:
        assert olga.post(address(1, what), agreed(second)).status_code == 302

    check_diff(league, second.context["diff"], act)


def test_a_game_that_somebody_else_voided_meanwhile_is_said(olga: Client) -> None:
    league = build_two_ladders()
    correction = olga.post(address(1, "correct"), swapped())
    void = olga.post(address(1, "void"), {"reason": "a friendly"})
    void_game(league.pk, 1, reason="friendly", by="ben")
    assert "Game 1 is void already." in page_html(olga.post(address(1, "void"), agreed(void)))
    answer = olga.post(address(1, "correct"), agreed(correction), follow=True)
    assert "Game 1 is void already and cannot be corrected." in page_html(answer)


def test_a_replay_that_ended_meanwhile_is_another_state_of_the_books() -> None:
    league = build_two_ladders()
    with override_settings(RUNGS_INLINE_GAMES=0):
        void_game(league.pk, 2, reason="friendly", by="ben")
    waiting = books_revision(league)
    from league.services.dispatch.sweep import replay_due

    replay_due(league.pk)
    assert books_revision(league) != waiting
    assert books_revision(league) == books_revision(league)


def test_another_ladder_is_another_state_of_the_books() -> None:
    league = build_two_ladders()
    before = books_revision(league)
    make_ladder(league, "year", cadence="year")
    assert books_revision(league) != before


def test_a_merge_is_another_state_of_the_books() -> None:
    league = build_two_ladders()
    before = books_revision(league)
    merge_players(Player.objects.get(handle="ben"), add_player("zoe", "Zoe"), by="olga")
    assert books_revision(league) != before


def test_a_refusal_stands_at_its_field_before_any_difference(olga: Client) -> None:
    build_two_ladders()
    page = olga.post(address(1, "correct"), dated_sheet(("anna", 0), ("zoe", 1), reason="misread"))
    assert "there is no player “zoe”" in str(page.context["sheet"].formset.forms[1].errors)
    assert "diff" not in page.context
    early = confirm(olga, address(1, "correct"), swapped(played_at="2090-01-01T10:00"))
    assert list(early.context["sheet"].form.errors) == ["played_at"]


def test_long_lists_are_folded_with_their_count(olga: Client) -> None:
    names = [f"p{number:03}" for number in range(120)]
    league = make_league(players=(), parameters={"k": 32})
    for name in names:
        add_player(name, name)
    make_ladder(league)
    results = [NewResult(name, index) for index, name in enumerate(names[:100])]
    record_game(league.pk, NewGame(results, played_at=utc("2024-03-05")), by="test")
    page = olga.post(address(1, "void"), {"reason": "a friendly"})
    shown = page_html(page)
    assert "<summary>50 more ratings</summary>" in shown
    assert "<summary>50 more lines</summary>" in shown
    assert shown.count("p099</th>") == 2
    assert len(ratings(league)) == 100


def test_looking_costs_as_many_queries_however_many_games_there_are(olga: Client) -> None:
    league = build_two_ladders()
    costs = []
    for day in (10, 20):
        olga.get(address(1, "void"))
        with CaptureQueriesContext(connection) as queries:
            assert olga.post(address(1, "correct"), swapped()).status_code == 200
        costs.append(len(queries))
        for hour in range(10):
            record(league, duel("cleo", "ben", f"2024-05-{day}T{hour:02}:00"))
    assert costs[0] == costs[1]
