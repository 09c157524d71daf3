"""The public pages of ladders, as readers meet them."""

import re
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client

from league.core.games.services.record import void_game
from league.core.ladders.selectors.ladders import PublishedPeriod
from league.core.ladders.selectors.tallies import build_method
from league.core.ladders.services.decisions import advance, carry_period, close_period, reopen_period
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.models import Edition, LadderRule, League, Period
from league.web.public.charts.winners import build_grid, format_initials
from league.web.public.present import list_score_decimals
from league.web.public.views.ladders import format_distinct_scores
from tests.helpers.builders import league_of, make_league, move_club_away, record, sheet
from tests.helpers.desk_client import fetch_page as text
from tests.helpers.ladder_builders import clock, record_as_played
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
MARCH = datetime(2024, 3, 5, 19, 30, tzinfo=UTC)
APRIL = datetime(2024, 4, 9, 19, 30, tzinfo=UTC)


def build() -> None:
    """Make an Elo club with a points table of the month: two games in March, one in April 2024."""
    with clock(MARCH):
        league = make_league(time_zone="Europe/Paris", close_after_hours=0)
        create_ladder(league.pk, "month", "Table of the month", RankingRule("points", "month"), username="test")
    for players, scores, when in ((("anna", "ben"), (1, 0), MARCH), (("anna", "cleo"), (1, 0), MARCH)):
        record_as_played(league, sheet(players, scores, played_at=when))
    record_as_played(league, sheet(("ben", "cleo"), (1, 0), played_at=APRIL))


built = built_once(build)


def test_a_league_without_ladders_says_so(client: Client) -> None:
    move_club_away()
    assert "This league has no ladders yet." in text(client, "/leagues/club/ladders/")


def test_the_list_tells_the_leader_and_the_last_winner(client: Client) -> None:
    league = league_of()
    advance(league.pk, datetime(2024, 4, 12, tzinfo=UTC))
    page = text(client, "/leagues/club/ladders/")
    assert re.search(r'<span class="part">Points table</span> *<span class="saying">April 2024</span>', page)
    assert re.search(r"<b>Anna</b> ?<p.*?/ladders/month/2024-03/\s*\">March 2024</a> · Points 2.0</p>", page)
    create_ladder(league.pk, "once", "Cup", RankingRule("points", "month", {"minimum": 5}), username="test")
    advance(league.pk)
    page = text(client, "/leagues/club/ladders/")
    assert "No player is ranked yet." in page
    assert '<a href="/leagues/club/ladders/once/2024-04/">April 2024</a>: no one qualified' in page
    assert "No one qualified" in page


def test_the_list_draws_a_small_race_of_the_period_in_play_or_of_the_last_one(client: Client) -> None:
    league = league_of()
    advance(league.pk, datetime(2024, 4, 12, tzinfo=UTC))
    # April has one game so far: a race needs two evenings.
    with clock(datetime(2024, 4, 20, tzinfo=UTC)):
        assert "smallrace" not in text(client, "/leagues/club/ladders/")
    record(league, sheet(("anna", "ben"), (1, 0), played_at=datetime(2024, 4, 16, 19, tzinfo=UTC)))
    with clock(datetime(2024, 4, 20, tzinfo=UTC)):
        page = text(client, "/leagues/club/ladders/")
    # Ben won on the 9th, Anna on the 16th; both have a point now, and Anna had none before.
    (label,) = re.findall(r'class="smallrace".*?aria-label="(.*?)"', page)
    assert "Ben: from 1.0 to 1.0, highest 1.0" in label
    # Ben and Anna share the lead, so nobody is ahead by anything.
    leaders = re.search(r'April 2024</a>.*?<td class="part strong">(.*?)</td>(.*?)<figure>', page)
    assert leaders and leaders[1] == "Anna and Ben" and "–" in leaders[2]
    with clock(datetime(2024, 4, 20, tzinfo=UTC)):
        (row,) = client.get("/leagues/club/ladders/?table=ladders&format=json").json()["results"]
    assert row == {
        "ladder": "month", "period": "2024-04", "leaders": ["anna", "ben"], "names": ["Anna", "Ben"], "score": 1.0,
        "next_score": 0.0,
    }  # fmt: skip
    # In May nobody has played: the last period stands there with its first players.
    advance(league.pk, datetime(2024, 5, 12, tzinfo=UTC))
    close_period(league.pk, "month", "2024-04", username="test")
    with clock(datetime(2024, 5, 20, tzinfo=UTC)):
        page = text(client, "/leagues/club/ladders/")
    assert page.count('class="smallrace"') == 1
    assert "No player is ranked yet." in page
    assert re.findall(r"<b>(Anna)</b>,? *<b>(Ben)</b>", page) == [("Anna", "Ben")]


def test_an_open_period_shows_its_games_and_neighbours(client: Client) -> None:
    page = text(client, "/leagues/club/ladders/month/2024-03/")
    assert "March 2024" in page
    assert '<span class="tag">open</span>' in page
    assert 'href="/leagues/club/players/anna/"' in page
    assert 'title="April 2024">Now <span aria-hidden="true">→</span></a>' in page
    assert "Points for every game of the period" in page
    earlier = text(client, "/leagues/club/ladders/month/2024-04/")
    assert '<span aria-hidden="true">←</span> March 2024' in earlier
    now, latest = (text(client, f"/leagues/club/ladders/month/{where}") for where in ("", f"{present()}/"))
    # Below, the languages lead to the same page by its own address.
    assert now.split("<main")[1].split("</main>")[0] == latest.split("<main")[1].split("</main>")[0]


def test_no_two_links_between_periods_lead_to_one_page(client: Client) -> None:
    with clock(datetime(2024, 4, 20, tzinfo=UTC)):
        pages = [text(client, f"/leagues/club/ladders/month/{where}") for where in ("2024-03/", "2024-04/", "winners/")]
    navs = [page.partition('<nav class="pick" aria-label="Ladder">')[2].partition("</nav>")[0] for page in pages]
    # April is the present period: beside March "now" leads to its own address.
    assert [
        ('title="April 2024">Now <span aria-hidden="true">→</span></a>' in nav, ">Now</a>" in nav) for nav in navs
    ] == [
        (True, False),
        (False, False),
        (False, True),
    ]


def present() -> str:
    """Return the key of the latest period."""
    return Period.objects.order_by("-starts_at").values_list("key", flat=True)[0]


def test_equal_scores_name_what_decided_and_the_unqualified_why_not(client: Client) -> None:
    league = move_club_away()
    create_ladder(league.pk, "month", "Month", RankingRule("points", "month", {"minimum": 2}), username="test")
    record(league, sheet(("anna", "ben"), (3, 1), minutes=0))
    record(league, sheet(("ben", "anna"), (1, 0), minutes=1))
    record(league, sheet(("cleo", "anna"), (0, 9), minutes=2))
    record(league, sheet(("ben", "cleo"), (1, 0), minutes=3))
    record(league, sheet(("dan", "cleo"), (1, 0), minutes=4))
    page = text(client, "/leagues/club/ladders/month/2024-03/")
    assert "· Decided by Scores" in page
    assert "1 game played, needs 1 more" in page


def test_a_closed_period_shows_its_edition_and_what_became_of_it(client: Client) -> None:
    league = league_of()
    advance(league.pk)
    edition = Edition.objects.get(key="2024-03")
    page = text(client, "/leagues/club/ladders/month/2024-03/")
    assert '<span class="tag">closed</span>' in page
    assert re.search(r"<summary>\s*Edition 1, published", page)
    assert edition.sha256 in page
    void_game(league.pk, 1, reason="A friendly.", username="test")
    page = text(client, "/leagues/club/ladders/month/2024-03/")
    assert "The organiser decides whether edition 1 remains valid." in page
    assert ">2.0<" in page
    changes = text(client, "/leagues/club/ladders/month/2024-03/changes/")
    assert "Compares edition 1 with the current ranking." in changes
    assert "<h1>Anna stays first; 1 rank changed</h1>" in changes
    assert '<del class="was" title="2"><span class="sr">was </span>2.0</del>' in changes
    assert '<ins class="now" title="1"><span class="sr">now </span>1.0</ins>' in changes
    live = text(client, "/leagues/club/ladders/month/2024-03/?edition=live")
    assert "The current ranking from its games, not published." in live
    carry_period(league.pk, "month", "2024-03", reason="Prizes were given.", username="test")
    assert "kept it: Prizes were given." in text(client, "/leagues/club/ladders/month/2024-03/")


def test_both_editions_stay_readable_and_the_reason_stands_beside(client: Client) -> None:
    league = league_of()
    advance(league.pk)
    void_game(league.pk, 1, reason="A friendly.", username="test")
    close_period(league.pk, "month", "2024-03", reason="A friendly had slipped in.", username="test")
    page = text(client, "/leagues/club/ladders/month/2024-03/")
    assert "Edition 2, published" in page
    assert "A friendly had slipped in." in page
    assert 'href="?edition=1"' in page
    assert "Edition 1, published" in text(client, "/leagues/club/ladders/month/2024-03/?edition=1")
    changes = text(client, "/leagues/club/ladders/month/2024-03/changes/?from=1&to=2")
    assert "Compares edition 1 with edition 2. The reason: A friendly had slipped in." in changes
    assert "<h1>Nothing changed</h1>" in text(client, "/leagues/club/ladders/month/2024-03/changes/?from=2&to=2")
    reopen_period(league.pk, "month", "2024-03", reason="Once more.", username="test")
    assert "Reopened; you can still read edition 2." in text(client, "/leagues/club/ladders/month/2024-03/")


def test_winners_by_period_and_who_won_most(client: Client) -> None:
    league = league_of()
    assert "Winners appear here once a period has been closed" in text(client, "/leagues/club/ladders/month/winners/")
    create_ladder(league.pk, "once", "Cup", RankingRule("points", "month", {"minimum": 5}), username="test")
    advance(league.pk)
    nobody = text(client, "/leagues/club/ladders/once/winners/")
    assert "No closed period has a winner yet." in nobody
    assert '<span class="soft">no one qualified</span></td><td class="num soft">–</td>' in nobody
    page = text(client, "/leagues/club/ladders/month/winners/")
    assert page.index("April 2024</a>") < page.index("March 2024</a>")
    assert 'Ben</a><span class="whynot">latest: April 2024</span></th><td class="num score">1</td>' in page
    assert 'Anna</a><span class="whynot">latest: March 2024</span></th><td class="num score">1</td>' in page
    assert page.count('<span class="medal m1">1</span>') == 2


def test_a_shared_first_place_is_a_title_for_each_and_the_hall_ranks_by_titles(client: Client) -> None:
    league = move_club_away()
    create_ladder(league.pk, "month", "Month", RankingRule("points", "month", {"ties": "share"}), username="test")
    for pair, scores, day in (
        (("anna", "ben"), (1, 1), datetime(2023, 11, 5, tzinfo=UTC)),
        (("anna", "cleo"), (1, 0), datetime(2023, 12, 5, tzinfo=UTC)),
        (("dan", "cleo"), (1, 0), datetime(2024, 1, 5, tzinfo=UTC)),
    ):
        record(league, sheet(pair, scores, played_at=day))
    for key in ("2023-11", "2023-12", "2024-01"):
        close_period(league.pk, "month", key, username="test")
    page = text(client, "/leagues/club/ladders/month/winners/")
    hall = page[page.index("Champions</h2>") : page.index("By period</summary>")]
    assert [hall.index(name) for name in ("Anna", "Dan", "Ben")] == sorted(
        hall.index(name) for name in ("Anna", "Dan", "Ben")
    )
    assert '<span class="medal m1">1</span>' in hall
    assert hall.count('<span class="medal m2">2</span>') == 2
    assert "latest: December 2023 · 1 shared" in hall
    assert "3 players, 3 periods" in hall
    assert page.index('id="y2024"') < page.index("January 2024</a>") < page.index('id="y2023"')
    assert '<b class="strong">Anna</b>, <b class="strong">Ben</b>' in page


def cells(page: str) -> list[tuple[str, str, list[str]]]:
    """Return the rows of the grid of winners: year, cell in words, and the initials with their class."""
    found = []
    for row in page.split('<section class="wyear">')[1:]:
        year = re.findall(r"<h2>(.*?)</h2>", row)[0]
        for cell in re.findall(r"<li.*?</li>", row.partition("</ol>")[0]):
            words = re.findall(r'class="sr">(.*?)</span>', cell)
            marks = [" ".join(mark) for mark in re.findall(r'<b class="([^"]*)" aria-hidden="true"\s*>(.*?)</b>', cell)]
            found.append((year, *(words or [""]), marks))
    return found


def test_winners_stand_in_a_grid_of_years_and_months_in_the_hue_of_each(client: Client) -> None:
    league = move_club_away()
    create_ladder(league.pk, "month", "Month", RankingRule("points", "month", {"ties": "share"}), username="test")
    days = (("anna", "ben"), (1, 1), datetime(2023, 11, 5, tzinfo=UTC)), (("anna", "ben"), (1, 0), MARCH)
    for pair, scores, day in days:
        record(league, sheet(pair, scores, played_at=day))
    for key in ("2023-11", "2024-03"):
        close_period(league.pk, "month", key, username="test")
    page = text(client, "/leagues/club/ladders/month/winners/")
    grid = cells(page)
    assert [year for year, _, _ in grid] == ["2024"] * 12 + ["2023"] * 12
    # Club's own hue is 2; that of the second player is six steps on.
    assert grid[2] == ("2024", "March 2024: Anna, 1.0", ["hue-2 ANN"])
    assert grid[22] == ("2023", "November 2023: Anna, Ben, 0.5", ["hue-2 ANN", "hue-8 BEN"])
    assert sum(bool(words) for _, words, _ in grid) == 2
    assert re.findall(r"<span>(\w+)</span>", page.partition('class="wlabels"')[2].partition("</p>")[0])[::11] == [
        "Jan", "Dec",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "initials"),
    [
        ("Willem Dvorak", "WD"),
        ("Dario van der Meer", "DM"),
        ("Spain", "SPA"),
        ("R3942", "3942"),
        ("K7", "K7"),
        ("Bo", "BO"),
    ],
)
def test_the_initials_of_a_name(name: str, initials: str) -> None:
    assert format_initials(name) == initials


def test_years_stand_in_rows_of_ten_and_weeks_one_after_the_other() -> None:
    def published(*keys: str) -> list[PublishedPeriod]:
        method = build_method(LadderRule(method="points", parameters={}))
        winners = [{"player": "anna", "name": "Anna", "score": 3.0}]
        return [PublishedPeriod(Edition(key=key, winners=winners), method) for key in keys]

    years = build_grid(published("2001", "1999", "1990"), {}, {"anna": 4})
    assert [(row.year, [cell.label if cell else "" for cell in row.cells]) for row in years.years] == [
        ("2000–09", ["", "2001", *[""] * 8]),
        ("1990–99", ["1990", *[""] * 8, "1999"]),
    ]
    weeks = build_grid(published("2024-W12", "2024-W09"), {}, {})
    assert [(row.year, [cell.label if cell else "" for cell in row.cells]) for row in weeks.years] == [
        ("2024", ["9", "12"])
    ]
    quarters = build_grid(published("2024-Q3"), {}, {})
    assert quarters.labels == ["Q1", "Q2", "Q3", "Q4"]
    assert [cell is None for cell in quarters.years[0].cells] == [True, True, False, True]
    # A ladder that changed from months to years has no columns in common.
    mixed = build_grid(published("2025", "2024-12"), {}, {})
    assert (mixed.columns, [row.year for row in mixed.years]) == (0, ["2020–29", "2024"])


def test_what_changed_counts_who_stays_and_tells_new_ranks_from_new_figures(client: Client) -> None:
    league = move_club_away()
    create_ladder(league.pk, "month", "Month", RankingRule("points", "month"), username="test")
    anna = record(league, sheet(("anna", "ben"), (1, 0), played_at=datetime(2023, 11, 5, tzinfo=UTC)))
    record(league, sheet(("cleo", "dan"), (1, 0), played_at=datetime(2023, 11, 6, tzinfo=UTC)))
    close_period(league.pk, "month", "2023-11", username="test")
    void_game(league.pk, anna.number, reason="A friendly.", username="test")
    page = text(client, "/leagues/club/ladders/month/2023-11/changes/")
    assert page.count('<span class="tag">gone</span>') == 2
    # Anna and Ben are gone; Dan, third beside Ben, is second now; Cleo was first and is.
    assert "3 of 4 rows differ; 1 is unchanged." in page
    assert "<h1>Cleo stays first; 3 ranks changed</h1>" in page
    # The chart has all four; only Dan's rank rose.
    assert "<title>Dan: 3 → 2</title>" in page
    assert page.count('<g class="up">') == 1


def test_two_scores_that_differ_are_told_apart() -> None:
    method = build_method(LadderRule(method="erf_mean", parameters={}))
    assert format_distinct_scores(method, 1000.0, 1000.0) == ("1000.00", "1000.00")
    assert format_distinct_scores(method, 1000.001, 1000.002) == ("1000.001", "1000.002")
    assert format_distinct_scores(method, None, 1000.0) == ("–", "1000.00")
    assert format_distinct_scores(method, 1.0, 1.0 + 1e-11) == ("1", "1.00000000001")


def test_a_ladder_and_the_board_as_they_stood_at_a_date(client: Client) -> None:
    page = text(client, "/leagues/club/ladders/month/2024-03/?at=2024-03-05")
    assert "No games had been played in March 2024 by then." in page
    page = text(client, "/leagues/club/ladders/month/2024-03/?at=2024-03-06")
    assert "The standings at the start of 2024-03-06" in page
    assert ">2.0<" in page
    board = text(client, "/leagues/club/?at=2024-04-01")
    assert "The board at the start of 1 April 2024." in board
    assert board.index("Anna") < board.index("Ben")
    assert "The board was empty then." in text(client, "/leagues/club/?at=2024-03-01")
    assert "The board at the start of" not in text(client, "/leagues/club/?at=tomorrow")
    assert "The board at the start of" not in text(client, "/leagues/club/?at=2024-99-99")


def test_what_is_not_there_is_a_page_that_says_so(client: Client) -> None:
    for path in (
        "nonsense/",
        "nonsense/winners/",
        "month/2024-13/",
        "month/2031-01/",
        "month/2024-03/?edition=7",
        "month/2024-03/changes/",
        "month/1999-01/changes/",
    ):
        assert "<h1>" in text(client, f"/leagues/club/ladders/{path}", 404)


def test_a_ladder_before_any_game_and_an_unknown_zone_are_pages_all_the_same(client: Client) -> None:
    league = move_club_away()
    create_ladder(league.pk, "old", "Old", RankingRule("points", "month"), username="test")
    Period.objects.filter(league=league).delete()
    assert "No games have been played for this ladder." in text(client, "/leagues/club/ladders/old/")
    record(league, sheet(("anna", "ben"), (1, 0)))
    League.objects.update(time_zone="Mars/Olympus")
    for path in (
        "",
        "ladders/",
        "ladders/old/",
        "ladders/old/2024-03/",
        "games/",
        "games/?from=2024-01-01",
        "games/?q=2024-03-05",
        "?at=2024-04-01",
    ):
        assert "Anna" in text(client, f"/leagues/club/{path}"), path


def test_ranks_whose_scores_print_alike_have_the_decimals_that_separate_them() -> None:
    rows: Any = [{"score": score} for score in (50.126, 50.1249, 50.1248, 50.1248, 41.0, None)]
    # Two decimals print 50.13, 50.12, 50.12: the second score differs from the third in the fourth decimal. Equal
    # scores share a rank, and print alike.
    method: Any = SimpleNamespace(decimals=2)
    assert list_score_decimals(method, rows) == [2, 4, 4, 4, 2, 2]
