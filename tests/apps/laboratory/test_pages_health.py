"""A league's health check on its page and over the API."""

import re
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from league.apps.laboratory import diagnosis
from league.apps.laboratory.heat_map import build_heat_map
from league.apps.laboratory.services import health as health_service
from league.core.accounts.services.members import set_member
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import void_game
from league.core.players.services.players import change_player
from league.models import League, Player
from ratings.laboratory.health import MeanShare, Meetings, compute_health
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import browser_of, ok_text
from tests.helpers.experiment_builders import club
from tests.helpers.ladder_builders import tables, utc
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way, mark_slow

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

PAGE = "/leagues/club/health/"


def build() -> None:
    """Create a league of four players, two more who only play each other, and its users."""
    league = club(60)
    for number in range(24):
        at = utc("2024-02-10") + timedelta(days=number)
        record(league, sheet(("eva", "finn"), (1, 0), played_at=at, create_players=True))
    for name, role in (("olga", "organiser"), ("rita", "recorder")):
        User.objects.create_user(name)
        set_member(league.pk, name, role)


built = built_once(build)


def page_words(path: str = PAGE) -> str:
    """Return the text of the page as an organiser sees it."""
    return ok_text(browser_of("olga").get(path))


@long_way
def test_only_organisers_see_it() -> None:
    for browser in (Client(), browser_of("rita")):
        answer = browser.get(PAGE)
        assert answer.status_code == 403
        assert b"eva" not in answer.content
        assert PAGE not in browser.get("/leagues/club/laboratory/").content.decode()
    olga = browser_of("olga")
    answer = olga.get(PAGE)
    assert answer.status_code == 200
    assert "private" in answer["Cache-Control"]
    assert f'href="{PAGE}"' in olga.get("/leagues/club/laboratory/").content.decode()
    assert f'href="{PAGE}"' in olga.get("/admin/leagues/club/settings/").content.decode()
    League.objects.update(visibility="private")
    assert [one.get(PAGE).status_code for one in (Client(), browser_of("rita"), olga)] == [404, 403, 200]


def test_the_page_has_sentences_plots_and_tables() -> None:
    before = tables()
    answer = browser_of("olga").get(PAGE)
    assert tables() == before
    text, html = ok_text(answer), answer.content.decode()
    assert "Games 84 Players 6 Groups 2" in text
    assert "There are 2 groups that have never played each other; the largest has 4 of 6 players." in text
    assert "Apart from the largest group: eva , finn" in text
    # The checks come first: those to look at, and the others.
    assert "Take a look: There are 2 groups" in text
    assert " As far as these games show, what some players win, others lose." in text
    assert "Each game adds" not in text, "it adds nothing"
    # Sixty games of four players in six pairs: ten each; then the two of 24 games, who meet nobody else.
    assert "Who plays whom players with the most games" in text
    heat = re.search(r"(<tr><th [^>]*>.*?anna.*?</tr>)", html.partition('<table class="heat">')[2], re.DOTALL)
    assert heat
    assert re.findall(r'class="(h\d|self)"(?: title="[^"]*")?>(\d*)', heat[1]) == [
        ("self", ""), ("h3", "10"), ("h3", "10"), ("h3", "10"), ("h0", ""), ("h0", ""),
    ]  # fmt: skip
    # These two have 24 games each, all against each other; no other player with 20 games does so.
    assert "2 players with 20 games or more met the same opponent in at least 50% of them." in text
    rows = re.findall(r"(eva|finn) (eva|finn) 24 24 100 ([+−][\d.]+)", text)
    assert [row[:2] for row in rows] == [("eva", "finn"), ("finn", "eva")]
    assert float(rows[0][2]) == -float(rows[1][2].replace("−", "-")) > 0
    # The first seat wins 48 of the 60 games of the four (four of five), and all 24 of the two: 72 of 84.
    assert "the first side wins 85.7% of the points" in text
    assert re.search(
        r"First side 85\.7 [\d.]+ – [\d.]+ an advantage Second side 14\.3 [\d.]+ – [\d.]+ a disadvantage", text
    )
    assert html.count('<svg class="interval"') == 2
    # 60 games from 1 January on, two a day, end on 30 January; the other 24 from 10 February to 4 March.
    assert "March 2024: 4 games, 2 players, 0 of them new. Busiest: January 2024, 60 games." in text
    table = re.search(r"March 2024 4 2 0 1500\.0 0\.0 February 2024 20 2 2 1500\.0 0\.0 January 2024 60 4 4 ", text)
    assert table, text
    # Frequent opponents and activity; ratings neither rise nor fall.
    assert html.count('<svg class="plot') == html.count('role="img" aria-label=') == 2
    assert "style=" not in html


def test_names_are_current_while_results_are_cached() -> None:
    olga = browser_of("olga")
    with patch("league.apps.laboratory.services.health.compute_health", wraps=compute_health) as found:
        olga.get(PAGE)
        olga.get(PAGE)
        assert found.call_count == 1
        change_player(Player.objects.get(handle="eva"), name="Eva Maria", username="olga")
        assert "Eva Maria" in ok_text(olga.get(PAGE))
        void_game(League.objects.get().pk, 84, reason="a friendly", username="olga")
        assert "Games 83" in ok_text(olga.get(PAGE))
        assert found.call_count >= 2


def test_the_number_of_queries_does_not_depend_on_players(django_assert_num_queries: Any) -> None:
    olga = browser_of("olga")
    olga.get(PAGE)
    with django_assert_num_queries(8):
        olga.get(PAGE)
    for one, other in (("gerd", "hans"), ("ina", "jan"), ("karl", "lisa")):
        record(League.objects.get(), sheet((one, other), (1, 0), create_players=True))
    olga.get(PAGE)
    with django_assert_num_queries(8):
        assert "gerd , hans" in ok_text(olga.get(PAGE))


@pytest.mark.parametrize("language", mark_slow(["de", "pl", "ru", "sr"], "Their catalogues are whole.", but=["ru"]))
def test_the_page_is_in_the_readers_language(language: str) -> None:
    text = page_words(f"{PAGE}?lang={language}")
    for english in (
        "League health check",
        "never played each other",
        "an advantage",
        "Busiest",
        "one frequent opponent",
    ):
        assert english not in text


def test_missing_results_are_explained() -> None:
    for slug, league in (("other", make_league(slug="other")), ("bare", League.objects.create(slug="bare", title="B"))):
        set_member(league.pk, "olga", "organiser")
        assert "No results yet. The league has no rated games yet." in page_words(f"/leagues/{slug}/health/")
    organiser = Api("organise")
    answer = organiser.get("leagues/other/health/")
    assert (answer.status_code, answer.data["code"]) == (422, "refused")
    assert answer.data["detail"] == "The league has no rated games yet."
    assert organiser.get("leagues/club/health/?x=1").status_code == 400
    League.objects.filter(slug="club").update(stale_from=timezone.now())
    assert "are being recalculated; try again soon." in page_words()
    busy = organiser.get("leagues/club/health/")
    assert (busy.status_code, busy["Retry-After"]) == (503, "1")
    League.objects.filter(slug="club").update(stale_from=None, last_number=150_001)
    assert "There are more than 150,000 games" in page_words().replace("\u202f", " ")


def test_one_table_has_no_frequent_opponents() -> None:
    league = make_league("durak", ("xaver", "yvo", "zita"), slug="table")
    set_member(league.pk, "olga", "organiser")
    for day in range(25):
        record(league, sheet(("xaver", "yvo", "zita"), places=(1, 2, 3), minutes=1440 * day))
    text = page_words("/leagues/table/health/")
    assert "Every player took part in every game, so everyone meets everyone." in text
    assert "Won of these" not in text
    assert "All players are connected by games" in text


def test_team_games_cannot_compare_seats() -> None:
    league = make_league(slug="sides", players=("p1", "p2", "p3", "p4"))
    set_member(league.pk, "olga", "organiser")
    four = [NewResult(f"p{one}", score=float(one < 3), side=1 + (one > 2)) for one in (1, 2, 3, 4)]
    record(league, NewGame(results=four, played_at=utc("2024-01-05")))
    text = page_words("/leagues/sides/health/")
    assert "Seats cannot be compared" in text
    assert "Each game adds" not in text, "it adds nothing"


def test_long_leagues_are_shown_by_year() -> None:
    league = make_league(slug="long", players=("p1", "p2"))
    set_member(league.pk, "olga", "organiser")
    for month in range(61):
        at = utc(f"{1990 + month // 12}-{1 + month % 12:02d}-15")
        record(league, sheet(("p1", "p2"), (month % 2, 1 - month % 2), played_at=at))
    text = page_words("/leagues/long/health/")
    assert "1995: 1 game, 2 players, 0 of them new. Busiest: 1990, 12 games." in text
    assert re.search(r"1995 1 2 0 1500\.0 0\.0 1994 12 2 0 ", text)
    assert re.search(r"1990 12 2 2 1500\.0 0\.0", text)


def test_the_api_returns_the_same_to_organisers() -> None:
    assert [api.get("leagues/club/health/").status_code for api in (Api(), Api("record", name="rita"))] == [401, 403]
    found = Api("organise").get("leagues/club/health/").data
    assert (found["games"], found["players"], found["groups"], found["one_table"]) == (84, 6, [4, 2], False)
    assert found["apart"] == [["eva", "finn"]]
    assert [(one["player"], one["opponent"], one["together"]) for one in found["often"]] == [
        ("eva", "finn", 24),
        ("finn", "eva", 24),
    ]
    assert found["added_a_game"]["value"] == pytest.approx(0.0, abs=1e-9)
    assert [(one["seat"], one["count"]) for one in found["seats"]] == [(1, 84), (2, 84)]
    assert found["seats"][0]["value"] == pytest.approx(72 / 84)
    assert found["seats"][0]["low"] < 72 / 84 < found["seats"][0]["high"]
    assert [(one["month"], one["games"]) for one in found["months"]] == [
        ("2024-01", 60), ("2024-02", 20), ("2024-03", 4),
    ]  # fmt: skip
    assert [(one["year"], one["players"], one["newcomers"]) for one in found["years"]] == [("2024", 6, 6)]


def test_for_many_games_a_waiting_page_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health_service, "MAX_GAMES_WITHOUT_NOTICE", 83)
    olga = browser_of("olga")
    with patch("league.apps.laboratory.services.health.compute_health", side_effect=compute_health) as looked:
        first = olga.get(f"{PAGE}?lang=en")
        assert "Analysing 84 games…" in ok_text(first)
        assert "Who plays whom" not in ok_text(first)
        assert looked.call_count == 0
        place = first["Refresh"].removeprefix("0;url=")
        assert place == f"{PAGE}?lang=en&now=1"
        assert re.search(r'<progress aria-label="[^"]+">', first.content.decode())
        assert "Who plays whom" in ok_text(olga.get(place))
        # Cached results need no waiting page, and files are requested from the page.
        assert "Refresh" not in olga.get(PAGE)
        assert looked.call_count == 1
        assert "Who plays whom" in page_words()
        void_game(League.objects.get().pk, 1, reason="a test", username="test")
        assert olga.get(f"{PAGE}?table=seats&format=json").json()["results"]
        assert looked.call_count == 2
        monkeypatch.setattr(health_service, "MAX_GAMES_WITHOUT_NOTICE", 84)
        void_game(League.objects.get().pk, 2, reason="a test", username="test")
        assert "Who plays whom" in page_words()
    for browser in (Client(), browser_of("rita")):
        assert browser.get(PAGE).status_code == 403


def test_tables_are_files_with_exact_values() -> None:
    olga = browser_of("olga")

    def table(name: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = olga.get(f"{PAGE}?table={name}&format=json").json()["results"]
        as_text = olga.get(f"{PAGE}?table={name}&format=csv").content.decode("utf-8-sig").splitlines()
        assert as_text[0].split(",") == list(rows[0])
        assert len(as_text) == 1 + len(rows)
        assert f"?table={name}&amp;format=csv" in olga.get(PAGE).content.decode()
        return rows

    result = Api("organise").get("leagues/club/health/").data
    often = table("often")
    assert [(one["player"], one["opponent"], one["together"]) for one in often] == [
        ("eva", "finn", 24),
        ("finn", "eva", 24),
    ]
    assert [one["gained"] for one in often] == [one["gained"] for one in result["often"]]
    assert [one["share"] for one in table("seats")] == [one["value"] for one in result["seats"]]
    assert sum(one["games"] for one in table("activity")) == 84


def test_each_check_leads_to_the_figures_on_the_page() -> None:
    page = browser_of("olga").get(PAGE)
    assert [(one.good, one.section) for one in page.context["findings"]] == [
        (False, "islands"), (True, "levels"), (False, "farming"), (False, "seats"),
    ]  # fmt: skip
    html = page.content.decode()
    for one in page.context["findings"]:
        assert f'href="#{one.section}"' in html
        assert f'<h2 id="{one.section}">' in html


def test_pairs_are_shaded_by_their_games() -> None:
    people = {number: Player(handle=name, name=name) for number, name in enumerate(("anna", "ben", "cleo"))}
    rows = build_heat_map(Meetings((2, 0, 1), ((0, 12, 1), (12, 0, 0), (1, 0, 0))), people)
    assert [(row.player.name, [(cell.games, cell.shade) for cell in row.cells]) for row in rows] == [
        ("cleo", [(0, None), (12, 6), (1, 1)]),
        ("anna", [(12, 6), (0, None), (0, 0)]),
        ("ben", [(1, 1), (0, 0), (0, None)]),
    ]
    assert build_heat_map(Meetings((0, 1), ((0, 9), (9, 0))), people) == []
    assert build_heat_map(Meetings((0, 1, 2), ((0, 0, 0),) * 3), people) == []


@pytest.mark.parametrize(
    ("drift", "begins"),
    [
        (MeanShare(12.0, 3, None, None), "There are too few days of play to show whether ratings rise or fall"),
        (MeanShare(0.0, 3, None, None), "As far as these games show, what some players win, others lose"),
        (MeanShare(0.4, 50, -0.5, 1.3), "As far as these games show, what some players win, others lose"),
        (MeanShare(0.9, 50, 0.5, 1.3), "Ratings rise"),
        (MeanShare(-0.9, 50, -1.3, -0.5), "Ratings fall"),
    ],
)
def test_drift_is_described_as_far_as_evenings_allow(drift: MeanShare, begins: str) -> None:
    assert diagnosis.describe_drift(drift).startswith(begins)
