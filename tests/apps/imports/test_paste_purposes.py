"""What the preview of a paste says of its games: what they are for, what was reported, and what waits for an answer."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import NewFixture, add_fixtures, make_round, publish_round
from league.models import Game, League
from league.web.organiser import panels
from tests.helpers.builders import make_league
from tests.helpers.desk_client import PAD, page_messages, page_text
from tests.helpers.paste_builders import press, shown
from tests.helpers.report_builders import link_of, played, reported
from tests.helpers.running_competitions import run_competition, scores

pytestmark = pytest.mark.django_db
EIGHT = ("anna", "ben", "cleo", "dan", "eva", "finn", "gus", "hana")


def boxes(*, rated: bool = False) -> League:
    """Return a league with a competition in which Anna plays Ben and Cleo."""
    league = make_league("elo", ("anna", "ben", "cleo", "dan"), reporting="by_link")
    run_competition(league, ("anna", "ben", "cleo"), "free", slug="boxes", title="Boxes", rated=rated)
    add_fixtures(league.pk, "boxes", [NewFixture([1, 2]), NewFixture([1, 3])], by="arbiter")
    return league


def cards(page: Any) -> list[str]:
    """Return the texts of the sheets of a preview."""
    html = page.content.decode().split('id="dr"')[1].split("stick")[0]
    return [" ".join(one.split()) for one in html.split("<li")[1:]]


def test_a_sheet_says_what_it_is_for_and_what_was_reported(olga: Client) -> None:
    league = boxes()
    reported(link_of(league, "ben"), played(("anna", "ben"), (1, 0), fixture=1))
    page = shown(olga, "Ben – Anna ½-½\nCleo – Dan 1-0")
    first, second = cards(page)
    assert '<span class="nowrap">Boxes</span> · <span class="nowrap">Fixture 1</span> · ' in first
    assert '<span class="nowrap">unrated</span>' in first
    # As the sheet is read: with the side first that it names first.
    assert "Ben reported 0–1." in first
    assert "Boxes" not in second and "reported" not in second
    # Nothing of the dry run stays, and recording says the same.
    assert not Game.objects.exists()
    assert page_messages(press(olga, page, _record="yes")) == "2 games were recorded: 1–2."


@pytest.mark.parametrize("format_key", ["free", "knockout"])
def test_what_games_are_for_is_looked_up_once_for_all(format_key: str) -> None:
    league = make_league("elo", EIGHT)
    cup = run_competition(league, EIGHT, format_key, slug="boxes", title="Boxes", rounds=3)
    if format_key == "free":
        add_fixtures(league.pk, "boxes", [NewFixture([one, one + 1]) for one in (1, 3, 5, 7)], by="arbiter")
    else:
        make_round(league.pk, "boxes", by="arbiter")
        publish_round(league.pk, "boxes", 1, by="arbiter")
    for fixture in cup.fixtures.order_by("number"):
        record_result(league.pk, fixture.number, scores(1, 0), by="arbiter")
    games = list(Game.objects.order_by("number"))
    assert len(games) == 4
    # Nobody's list of what apps declare is read the first time here.
    panels.index_attached_to(league, games)
    with CaptureQueriesContext(connection) as one:
        panels.index_attached_to(league, games[:1])
    with CaptureQueriesContext(connection) as all_of_them:
        found = panels.index_attached_to(league, games)
    assert len(all_of_them) == len(one)
    assert [len(found[game.order_key]) for game in games] == [1, 1, 1, 1]


def test_more_games_of_fixtures_make_no_more_queries_in_a_preview(olga: Client) -> None:
    league = make_league("elo", EIGHT)
    run_competition(league, EIGHT, "free", slug="boxes", title="Boxes")
    add_fixtures(league.pk, "boxes", [NewFixture([one, one + 1]) for one in (1, 3, 5, 7)], by="arbiter")
    lines = [f"{first} – {second} 1-0" for first, second in zip(EIGHT[::2], EIGHT[1::2], strict=True)]
    shown(olga, lines[0])
    counts = []
    for some in (lines[:2], lines):
        with CaptureQueriesContext(connection) as queries:
            page = shown(olga, "\n".join(some))
        asked = [one["sql"] for one in queries if "competitions_fixture" in one["sql"]]
        counts.append(len(asked))
        assert "Fixture 1" in page.content.decode()
    assert counts[0] == counts[1] > 0


def test_a_game_of_a_rated_competition_is_not_called_unrated(olga: Client) -> None:
    boxes(rated=True)
    assert "Fixture 1" in cards(shown(olga, "Anna – Ben 1-0"))[0]
    assert "unrated" not in page_text(shown(olga, "Anna – Ben 1-0"))


def test_figures_agree_while_a_question_is_open_and_the_key_says_why_it_is_dead(olga: Client) -> None:
    boxes()
    page = shown(olga, "Anna – Dan 1-0\nBen – Zoë 0-1")
    text = page_text(page)
    assert "New games 2 Already recorded 0 To fix 0 Waiting for a name 1" in text
    assert "Answer 1 question first. Record 2 games" in text
    assert "Effect on" not in text
    assert 'disabled aria-describedby="whynot"' in page.content.decode()
    answered = page_text(shown(olga, "Anna – Dan 1-0"))
    assert "New games 1" in answered and "Effect on 2 ratings" in answered


def test_the_message_of_a_recorded_paste_offers_its_undo_once(olga: Client) -> None:
    boxes()
    page = press(olga, shown(olga, "Anna – Dan 1-0\nBen – Dan 1-0"), _record="yes")
    toast = page.content.decode().split('class="toast"')[1].split("</form>")[0]
    address = toast.split('action="')[1].split('"')[0]
    assert "2 games were recorded: " in toast
    assert "undo" in address
    assert 'class="toast"' not in olga.get("/admin/leagues/club/paste/").content.decode()
    assert "2 pasted games were voided" in page_text(olga.post(address, {"reason": "Undone."}, follow=True))
    assert not Game.objects.counting().exists()


def test_today_lists_a_game_without_a_time_where_it_was_recorded(olga: Client) -> None:
    league = boxes()
    press(olga, shown(olga, "Anna – Dan 1-0"), _record="yes")
    first = Game.objects.get()
    olga.post(PAD, {"seats-TOTAL_FORMS": 2, "seats-INITIAL_FORMS": 0, "seats-0-player": "ben", "seats-0-score": "1",
                    "seats-1-player": "dan", "seats-1-score": "0"})  # fmt: skip
    press(olga, shown(olga, "Cleo – Dan 1-0"), _record="yes")
    page = olga.get(PAD)
    assert [view.game.number for view in page.context["evening"].games] == [3, 2, 1]
    assert f"recorded {first.recorded_at:%H:%M}" in page_text(page)
    assert league.games.filter(played_at=first.played_at).count() == 2
