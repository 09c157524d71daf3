"""The public pages: what they show, what they cost, and what they say when there is nothing."""

import json
import re
from datetime import date, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client, RequestFactory

from league.core.db.bounded_cache import cache
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.core.leagues.services.leagues import adopt_rule, create_league
from league.core.players.services.players import add_player, change_player
from league.models import League, Player
from league.templatetags.rungs import direction, exact, moment, number, signed
from league.web import error_pages
from tests.helpers.builders import EVENING, make_league, record, sheet
from tests.helpers.desk_client import fetch_page as text
from tests.helpers.ladder_builders import clock, utc
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db


def durak() -> League:
    """Make a league in which the printed example of the Durak score was played."""
    league = make_league("durak", starts={"anna": 1000, "ben": 1150, "cleo": 900, "dan": 1200})
    record(league, sheet(("anna", "ben", "cleo", "dan"), places=(1, 2, 3, 4)))
    return league


def test_the_board_shows_score_rating_and_the_evidence_penalty(client: Client) -> None:
    durak()
    page = text(client, "/leagues/club/")
    # 1173 - 180/1 = 993.
    assert 'class="num score"><span title="993">993</span>' in page
    assert 'title="1173">1173</td>' in page
    assert "−180</td>" in page
    assert "−27</a>" in page


def test_inactive_and_unlisted_players_are_told_why(client: Client) -> None:
    league = make_league(min_games=2, inactive_after_days=30)
    record(league, sheet(("anna", "ben"), (1, 0)))
    assert "1 more game needed" in text(client, "/leagues/club/players/anna/")
    record(league, sheet(("anna", "ben"), (1, 0), minutes=5))
    assert "No game in the last 30 days." in text(client, "/leagues/club/players/anna/")
    change_player(Player.objects.get(handle="ben"), active=False)
    assert "marked as inactive" in text(client, "/leagues/club/players/ben/")
    assert client.get("/leagues/club/players/cleo/").status_code == 404
    record(make_league(slug="open"), sheet(("cleo", "dan"), (1, 0)))
    assert "has not played in this league yet" in text(client, "/leagues/club/players/cleo/")


@long_way
def test_a_player_page_shows_chart_ranges_and_games(client: Client) -> None:
    league = make_league()
    for day in range(0, 808, 8):
        record(league, sheet(("anna", "ben"), (1 + day % 3, 1), played_at=EVENING + timedelta(days=day)))
    # Of the first 20 games, as a newcomer, too few fit the scale of all the others, and enough that of the last 100.
    for wanted, points in (("all", 81), ("year", 46), ("100", 100), ("nonsense", 81)):
        page = text(client, f"/leagues/club/players/anna/?range={wanted}")
        (steps,) = re.findall(r'<script type="application/json">(.*?)</script>', page)
        assert len(json.loads(steps)["stops"]) == points
    assert "Page 2 of 5" in text(client, "/leagues/club/players/anna/?page=2")
    assert "Page 5 of 5" in text(client, "/leagues/club/players/anna/?page=99")


def test_movements_between_games_are_told(client: Client) -> None:
    league = make_league("barbu", tuple("abcdefgh"), parameters={"zero_sum": "league"})
    record(league, sheet(tuple("abcd"), (90, 10, -20, -50)))
    record(league, sheet(tuple("efgh"), (90, 10, -20, -50), minutes=1))
    assert "from 82.50 to 78.75" in text(client, "/leagues/club/players/a/")
    assert "changed every player's rating by −3.75" in text(client, "/leagues/club/games/2/")


def formulas_of(client: Client, path: str) -> str:
    """Return the formulas of a page without elements and spaces."""
    (formulas,) = re.findall(r'<div class="law">(.*?)</div>', text(client, path), re.DOTALL)
    return re.sub(r"<[^>]*>|\s", "", formulas)


def test_how_shows_parameters_rulings_and_live_examples(client: Client) -> None:
    league = make_league("durak", parameters={"k": 32})
    page = text(client, "/leagues/club/how/")
    assert "chosen by the league" in page
    assert "Parameters" in page
    assert "finishing order" in page
    assert "32 /" not in page
    assert "<mfrac><mn>32</mn>" in page
    assert 'href="/systems/durak/"' in page
    assert "<dt>R10</dt>" in text(client, "/systems/durak/")
    adopt_rule(league.pk, "durak", {"k": 40}, EVENING.date(), username="olga")
    assert "2 dated rules" in text(client, "/leagues/club/how/")


def test_a_coming_rule_is_told_in_full_and_not_as_the_present_one(client: Client) -> None:
    league = make_league("durak", parameters={"k": 32})
    adopt_rule(league.pk, "durak", {"k": 77}, date(2150, 5, 1), username="olga")
    page = text(client, "/leagues/club/how/")
    head, coming, rest = page.partition("From 1 May 2150")
    assert "used since the first game" in head
    assert coming
    assert '<span class="was">32' in rest
    assert '<b class="now">77' in rest
    assert "Earlier rules" not in page
    assert "Example: the latest game" not in page


def test_rules_show_the_last_game_that_is_rated(client: Client) -> None:
    league = make_league("elo", parameters={"k": 32})
    record(league, sheet(("anna", "ben"), (1, 0)))
    page = text(client, "/leagues/club/how/").partition("Example: the latest game")[2]
    assert "Game 1, step by step" in page
    assert "+16" in page  # two of 1500: half of 32
    many = "With more than two players, every pair is compared."
    assert many not in text(client, "/leagues/club/how/")
    record(league, sheet(("anna", "ben", "cleo"), (2, 1, 0), minutes=1))
    assert many in text(client, "/leagues/club/how/")
    League.objects.update(stale_from=EVENING)
    assert "Example: the latest game" not in text(client, "/leagues/club/how/")


def test_rules_show_the_last_game_of_a_player_who_is_asked_for(client: Client) -> None:
    league = make_league("elo")
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("ben", "cleo"), (1, 0), minutes=1))
    page = text(client, "/leagues/club/how/?player=anna")
    assert "Example: the latest game of Anna" in page
    assert "Game 1, step by step" in page
    assert page.count('class="why"') == 1
    page = text(client, "/leagues/club/how/?player=dora")
    assert "No rated game of “dora” was found." in page
    assert "step by step" not in page
    assert text(client, "/leagues/club/how/").count('class="why"') == 2


def test_the_figures_of_the_last_game_beside_the_rules_add_up(client: Client) -> None:
    league = make_league("barbu")
    for minutes, scores in enumerate(((37, 11, -19, -29), (-31, 17, 27, -13), (25, 15, -10, -30))):
        record(league, sheet(("anna", "ben", "cleo", "dan"), scores, minutes=minutes))
    page = text(client, "/leagues/club/how/").partition("Example: the latest game")[2]
    one = r'<span class="change \w+">([+−]\d+\.\d\d)</span>.*?<p class="meta words">(.*?)</p>'
    told = re.findall(one, page, re.DOTALL)
    assert len(told) == 4
    for change, words in told:
        parts = [int(part.replace("−", "-").replace(".", "")) for part in re.findall(r"[+−]\d+\.\d\d", words)]
        assert sum(parts) == int(change.replace("−", "-").replace(".", ""))
    assert "-0." not in re.sub(r"<[^>]*>", "", page)


def test_a_game_of_an_earlier_regime_shows_the_sums_of_that_regime(client: Client) -> None:
    league = make_league("barbu", tuple("abcd"), parameters={"strength": "running_mean_j", "zero_sum": "none"})
    record(league, sheet(tuple("abcd"), (90, 10, -20, -80)))
    adopt_rule(league.pk, "barbu", {}, date(2024, 4, 1), username="olga")
    record(league, sheet(tuple("abcd"), (90, 10, -20, -80), minutes=60 * 24 * 40))
    # A fraction is its numerator, then its denominator.
    assert "Ri∗=(n−1)·Ri+J·Sin+J−1" in formulas_of(client, "/leagues/club/games/1/")
    assert "Ri∗=K·Ri·(1−Kn−1)+(1−K)·Si1−Kn" in formulas_of(client, "/leagues/club/games/2/")
    formulas = [client.get(f"/api/v1/leagues/club/games/{one}/explanation/").json()["formula"] for one in (1, 2)]
    assert ["J = 1.04" in formula for formula in formulas] == [True, False]
    page = formulas_of(client, "/leagues/club/how/")
    assert ("N=4playersshare" in page, "J=1.04" in page) == (True, False)


def test_a_ladder_says_how_it_ranks_with_its_own_parameters(client: Client) -> None:
    league = make_league()
    parameters = {"perfect_score_bonus": 736, "unrated": "skip_game"}
    create_ladder(league.pk, "fide", "Fide", RankingRule("fide_performance", "all_time", parameters), username="olga")
    record(league, sheet(("anna", "ben"), (1, 0)))
    page = text(client, "/leagues/club/ladders/fide/")
    shown = formulas_of(client, "/leagues/club/ladders/fide/")
    assert ("maxr+736" in shown, "maxr+800" in shown) == (True, False)
    assert ("skip_game points" in page, "The game does not count." in page) == (False, True)


def test_what_is_printed_and_what_is_computed_is_said(client: Client) -> None:
    systems = {one["key"]: one for one in client.get("/api/v1/systems/").json()["results"]}
    assert [one["printed"] for one in systems["serpentine"]["checks"]] == [False, False]
    assert [one["printed"] for one in systems["serpentine"]["examples"]] == [True, True]
    # Of all that Barbu's page shows, the source prints the adjusted score of 270 and the two expected scores.
    assert [one["printed"] for one in systems["barbu"]["examples"]] == [True, False, False, False]
    assert [one["printed"] for one in systems["barbu"]["checks"]] == [True, True]
    methods = {one["key"]: one for one in client.get("/api/v1/ladder-methods/").json()["results"]}
    assert not any(one["printed"] for one in methods["erf_mean"]["examples"])
    assert "the changes before rounding are computed" in text(client, "/systems/durak/")
    assert text(client, "/systems/serpentine/").count("computed independently</td>") == 2
    assert "No published source" in text(client, "/ladder-methods/best_scores/")
    assert "The source says B" not in text(client, "/systems/preferans/")


def test_the_duraks_page_works_the_example_of_four_players_out(client: Client) -> None:
    page = text(client, "/systems/durak/")
    row = re.search(r"<tr><th scope=\"row\">Seat 1 – Seat 4</th>(.*?)</tr>", page)
    assert row is not None
    cells = re.findall(r"<td[^>]*>(.*?)</td>", row.group(1))
    # A = 1 against the Durak, E = 1 / (1 + 10^(200/400)) = 0.2402530734, 40 / 3 times the difference is 10.13.
    # All cells of a column have as many decimals as the longest.
    assert (float(cells[0]), cells[1][:10], cells[2][:7]) == (1.0, "0.24025307", "+10.130")
    assert "17.8096" in page
    assert "Points to the first" not in text(client, "/systems/preferans/")


def test_a_system_opens_with_its_curve_and_the_list_shows_them_all(client: Client) -> None:
    page = text(client, "/systems/elo/").partition("<main")[2]
    # A player 200 points ahead is expected to score 1 / (1 + 10^(−½)).
    name = "What the ratings predict. If your rating is 200 higher, you are expected to score 76%."
    assert f'aria-label="{name}' in page
    assert page.index(name) < page.index("You win points") < page.index("The formula")
    assert "A win against an equal opponent: +10." in page
    assert text(client, "/systems/").count('class="smallcurve"') == 9
    assert text(client, "/ladder-methods/").count('class="smallcurve"') == 7
    assert "13 won, 1 drawn, 6 lost" in text(client, "/ladder-methods/points/")


def test_rulings_are_folded_by_system_and_each_number_is_one_target(client: Client) -> None:
    page = text(client, "/rulings/")
    assert page.count("<details>") == page.count("<summary><h2>") == 23
    targets = re.findall(r'<div id="(R\d+)">', page)
    assert len(targets) == len(set(targets)) > 40
    assert "<dt>R113</dt>" in page


def test_every_system_and_every_method_has_a_page(client: Client) -> None:
    for key in ("barbu", "durak", "elo", "preferans", "serpentine"):
        assert "Worked examples" in text(client, f"/systems/{key}/")
        assert f"/systems/{key}/" in text(client, "/systems/")
    listed = text(client, "/ladder-methods/")
    for key in ("best_scores", "erf_mean", "fide_performance", "points", "rating_score"):
        assert f"/ladder-methods/{key}/" in listed
        assert "Worked examples" in text(client, f"/ladder-methods/{key}/")
    assert "This page does not exist." in text(client, "/ladder-methods/chess/", 404)
    assert "Games factor: √g / (4 · 0.05^(−1/g)) (April and May 2005)" in text(client, "/ladder-methods/erf_mean/")
    assert "<td>Lowest counted</td>" in text(client, "/ladder-methods/best_scores/")
    assert "Full change at: 0.75" in text(client, "/systems/serpentine/")
    presets = client.get("/api/v1/systems/serpentine/").json()["presets"]
    assert presets[0]["values"] == {
        "most": 16,
        "full_swing": 0.75,
        "rounding": "half_away",
        "initial": 1200,
        "winner": "highest",
    }


def test_a_ladder_whose_games_multiply_the_score_shows_the_curve_with_its_figures(client: Client) -> None:
    league = make_league("barbu", tuple("abcd"))
    for slug, parameters in (("erf", {}), ("plain", {"factor": "none"})):
        create_ladder(league.pk, slug, slug, RankingRule("erf_mean", "all_time", parameters), username="olga")
    record(league, sheet(tuple("abcd"), (90, 10, -20, -80)))
    page = text(client, "/leagues/club/ladders/erf/")
    # erf(g / 20) at 1, 5, 10, 20 and 40 games.
    figures = re.findall(
        r"<td class=.num(?: opt)?. title=.(0\.\d+).>(0\.\d{3})</td>", page.partition("Games factor</caption>")[2]
    )
    assert [shown for _, shown in figures if shown in ("0.056", "0.276", "0.520", "0.843", "0.995")] == [
        "0.056", "0.276", "0.520", "0.843", "0.995",
    ]  # fmt: skip
    path = re.search(r"<path class=.first. d=.M25\.0 (\S+) .*? 1000\.0 (\S+?)./>", page)
    assert path is not None
    # From 900 of 1000 for nothing to 40 for 1: 900 − 0.0564 · 860 and 900 − 0.9953 · 860.
    assert path.groups() == ("851.5", "44.0")
    # The lines of the grid bear their figures, a fifth of 86% apart.
    marks = re.findall(r"<text class=.end. x=.0. dx=.[^>]*. y=.([\d.]+)%. dy=.\.33em.>([\d.]+)</text>", page)
    assert marks == [
        ("90.0", "0.0"), ("72.8", "0.2"), ("55.6", "0.4"), ("38.4", "0.6"), ("21.2", "0.8"), ("4.0", "1.0"),
    ]  # fmt: skip
    assert "Games factor by number of games" not in text(client, "/leagues/club/ladders/plain/")
    assert "Games factor by number of games" in text(client, "/ladder-methods/erf_mean/")


def test_what_is_not_there_is_a_page_that_says_so(client: Client) -> None:
    make_league()
    for path in ("/leagues/none/", "/leagues/club/players/zoe/", "/leagues/club/games/77/", "/systems/chess/", "/no"):
        assert "This page does not exist." in text(client, path, 404)


def test_what_is_not_there_leads_to_the_league_that_is(client: Client) -> None:
    make_league(title="Thursday club")
    make_league(slug="hidden", title="Hidden club", visibility="private")
    page = text(client, "/leagues/club/players/zoe/", 404)
    assert re.search(r'<a class="btn go" href="/leagues/club/">\s*Board</a>', page)
    assert "Look for it in Thursday club" in page
    for path in ("/leagues/none/games/1/", "/leagues/hidden/games/1/"):
        page = text(client, path, 404)
        assert "Hidden club" not in page
        assert "If it belongs to a private league, sign in." in page
    client.force_login(User.objects.create_user("anna"))
    assert "Check the address, or look for the league in the list." in text(client, "/leagues/none/", 404)
    assert "Hidden club" not in text(client, "/leagues/hidden/", 404)


def test_errors_have_pages_and_below_the_api_documents() -> None:
    for view, status in ((error_pages.bad_request, 400), (error_pages.forbidden, 403), (error_pages.server_error, 500)):
        page = view(RequestFactory().get("/leagues/"))
        assert (page.status_code, b"<h1>" in page.content) == (status, True)  # type: ignore[attr-defined]
        document = view(RequestFactory().get("/api/v1/leagues/"))
        assert (document.status_code, document["Content-Type"]) == (status, "application/problem+json")


#: Queries that a page costs, whatever the size of the league.
COSTS = {
    # One asks whether the site has an account, one for the state by which the page is kept, one counts the leagues.
    # Two ask for what runs and what ends soon, for all leagues at once.
    "/": 14,
    # Pages of a league: two ask for its state, by which the page is cached.
    # Of which five, the columns and who has played since, are kept.
    # Two ask for what was corrected lately: void games, and games that replace others.
    # One asks who won the period that was closed last.
    # On the pages of a league one asks whether it has competitions; on a player's, another one in which they play.
    "/leagues/club/": 19,
    "/leagues/club/?sort=games": 15,
    "/leagues/club/?q=an": 16,
    "/leagues/club/games/": 9,
    "/leagues/club/games/1/": 13,
    # One of them asks who sat at the tables of a player, for the games and the rivals; one lists the league's players.
    "/leagues/club/players/anna/": 20,
    # Four read the last game, whose players and results fill the form; the others preview it.
    "/leagues/club/what-if/": 18,
    # Three read the last games, by which a draw is written.
    "/leagues/club/what-if/?p=anna&r=1&p=ben&r=0": 14,
    "/leagues/club/players/anna/?with=ben&with=p1": 24,
    # As of every kept page of a league, two of them ask for its state.
    "/leagues/club/players/anna/versus/ben/": 11,
    "/leagues/club/players/anna/games.csv": 8,
    "/leagues/club/how/": 12,
    "/systems/": 0,
    "/systems/durak/": 0,
}


def test_a_page_costs_so_many_queries(client: Client, django_assert_num_queries: Any) -> None:
    league = make_league(players=("anna", "ben", *(f"p{n}" for n in range(12))))
    for turn in range(30):
        record(league, sheet(("anna", f"p{turn % 12}", "ben"), (1, 0, 2), minutes=turn))
    for path, queries in COSTS.items():
        cache.clear()
        with transaction.atomic():
            with django_assert_num_queries(queries, info=path):
                text(client, path)
            transaction.set_rollback(True)


@long_way
def test_a_page_is_computed_once_for_a_state_of_the_league(client: Client, django_assert_num_queries: Any) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    paths = ("", "players/anna/", "?table=board&format=csv", "games/", "what-if/", "how/", "games/1/", "ladders/")
    for path in (f"/leagues/club/{below}" for below in paths):
        with clock(utc("2024-03-20T12:00")):
            first = client.get(path)
            with django_assert_num_queries(2, info=path):
                again = client.get(path)
        assert again.content == first.content
        assert dict(again.headers) | {"X-Request-ID": ""} == dict(first.headers) | {"X-Request-ID": ""}
        record(league, sheet(("anna", "ben"), (1, 0)))
        # A game between two others, and ladders without any, do not change with a game, but with the league's title.
        League.objects.update(title=f"Club of {path}" if path.endswith(("/games/1/", "/ladders/")) else league.title)
        with clock(utc("2024-03-20T12:00")):
            assert client.get(path).content != first.content


def test_numbers_are_written_with_a_real_minus_and_a_sign() -> None:
    assert [number(1234.5, 1), number(-0.004, 2), number(49520), number(None)] == ["1234.5", "0.00", "49,520", "–"]
    # A count has its separator from a thousand on; a rating is read like a year.
    assert [number(999), number(5002), number(-5002), number(5002, 0)] == ["999", "5,002", "−5,002", "5002"]
    assert [signed(18), signed(-27), signed(0.001, 2), signed(None)] == ["+18", "−27", "±0.00", "–"]
    assert [exact(0.1), exact(-27.4), exact("none"), exact(None), exact(1e16)] == ["0.1", "−27.4", "none", "–", "1e+16"]
    assert [direction(1), direction(-1), direction(0), direction(None)] == ["up", "down", "level", "level"]
    assert moment(None, None) == "–"


def test_every_page_of_a_league_without_a_rule_opens(client: Client) -> None:
    make_league(min_games=3)
    assert "Listed after 3 games." in text(client, "/leagues/club/")
    create_league("bare", "Bare")
    add_player("zoe", "Zoe")
    assert client.get("/leagues/bare/players/zoe/").status_code == 404  # a stranger sees nobody who has not played
    client.force_login(User.objects.create_superuser("root"))
    for where in ("", "how/"):
        assert "has not chosen a rating system yet" in text(client, f"/leagues/bare/{where}")
    assert "No game has been recorded" in text(client, "/leagues/bare/games/")
    page = text(client, "/leagues/bare/players/zoe/")
    assert "Not on the leaderboard: No game in this league yet." in page
    assert "<dl" not in page
