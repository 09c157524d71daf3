"""What the page of a period shows above and beside its ranking: figures, race, editions, what goes on paper."""

import re
from contextlib import nullcontext
from datetime import date
from types import SimpleNamespace
from typing import Any, cast

import pytest
from django.test import Client

from league.core.games.services.record import void_game
from league.core.ladders.selectors.ladders import load_live_rows
from league.core.ladders.selectors.tallies import build_method
from league.core.ladders.services.decisions import close_period
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.core.players.services.merges import merge_players
from league.core.players.services.players import add_player
from league.models import Player
from league.web.public.charts.plates import build_plate
from league.web.public.period_head import count_days_left, describe_chase, describe_need, find_lead, join_names
from ratings.contract.needs import Need
from tests.helpers.builders import league_of, make_league, move_club_away, record, sheet
from tests.helpers.desk_client import fetch_page
from tests.helpers.ladder_builders import clock, close, duel, make_ladder, period, utc
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]


def text(client: Client, path: str, when: str = "") -> str:
    """Return a page as one line of text, as it is read at an instant."""
    with clock(utc(when)) if when else nullcontext():
        return fetch_page(client, path)


def build() -> None:
    """Make a league with three evenings of March: Anna wins 4, Ben 3, Cleo 1, Dan none."""
    league = make_league(time_zone="Europe/Paris", close_after_hours=0)
    make_ladder(league)
    for day, pairs in {
        "2024-03-05": ("anna ben", "anna cleo"),
        "2024-03-12": ("ben cleo", "ben dan", "ben cleo"),
        "2024-03-19": ("anna dan", "anna ben", "cleo dan"),
    }.items():
        for hour, pair in enumerate(pairs, start=18):
            winner, loser = pair.split()
            record(league, duel(winner, loser, f"{day}T{hour}:00"))


built = built_once(build)


def steps(page: str) -> list[tuple[str, list[str], str]]:
    """Return the steps of a page's plate: rank, names, score."""
    plate = page.partition('<div class="plate">')[2].partition("</ol>")[0]
    return [
        (
            re.findall(r"<b>(\d)</b>", step)[0],
            re.findall(r'<a class="quiet" href="/leagues/\w+/players/\w+/">([^<]+)</a>', step),
            re.findall(r'<p class="strong">([^<]+)</p>', step)[0],
        )
        for step in plate.split("<li ")[1:]
    ]


def test_what_separates_equal_scores_is_bold(client: Client) -> None:
    """Two draws of Ben's give Anna and Ben four points each; she has won four times, and he three times.

    Cleo has one of one game, and Dan one of two draws.
    """
    for minute in (0, 1):
        record(league_of(), sheet(("ben", "dan"), (1, 1), played_at=utc(f"2024-03-19T21:0{minute}")))
    page = text(client, "/leagues/club/ladders/month/2024-03/", "2024-03-20T12:00")
    rows = [row for row in re.findall(r"<tr.*?</tr>", page) if "/players/" in row]
    assert [re.findall(r'<td class="num opt strong"[^>]*>\s*(\d+)', row) for row in rows] == [
        ["4"],
        ["3"],
        ["1"],
        ["0"],
    ]
    assert [re.findall(r"<b>Won (\d)</b>", row) for row in rows] == [["4"], ["3"], ["1"], ["0"]]
    assert "Tie-breaks in bold separate equal scores." in page


def test_a_period_in_play_tells_the_leader_the_lead_the_days_left_and_the_games(client: Client) -> None:
    page = text(client, "/leagues/club/ladders/month/2024-03/", "2024-03-20T12:00")
    assert '<dt>Leader</dt><dd class="lead name">Anna<small>4.0, 1.0 ahead</small>' in page
    assert "<dt>Days left</dt><dd>11<small>ends 31 March</small>" in page
    assert "<dt>Games</dt><dd>8<small>by 4 players</small>" in page
    assert "<title>Anna, 12 March 2024: 2.0</title>" in page
    days = re.findall(r'<th scope="row">(\w+ \d+ March[^<]*)</th>', page)
    assert days == ["Tuesday 5 March", "Tuesday 12 March", "Tuesday 19 March"]
    assert (
        "March 2024 day by day: Anna: first 0.0, highest 4.0, last 4.0; Ben: first 0.0, highest 3.0, last 3.0;" in page
    )
    assert "Points after each day of play; everyone starts at 0." in page
    assert "A line begins once" not in page
    assert "<b>▲▼</b> Rank change on the last day of play." in page
    assert "This is not an edition" not in page
    assert "The ranking on Wednesday 20 March 2024; this is not published." in page
    assert "http://testserver/leagues/club/ladders/month/2024-03/</p>" in page
    # Before 19 March: Ben 3, Anna 2, Cleo and Dan none (Cleo has scored as little). Then Anna won two games, Cleo one.
    assert "Up 1 on the last day of play" in page
    assert "Down 1 on the last day of play" in page


def test_on_the_last_day_it_ends_tonight_and_afterwards_it_has_no_leader_but_a_first(client: Client) -> None:
    where = "/leagues/club/ladders/month/2024-03/"
    assert '<dt>Ends</dt><dd class="name">today<small>at midnight</small>' in text(client, where, "2024-03-31T12:00")
    page = text(client, where, "2024-04-01T12:00")
    assert "Days left" not in page
    assert steps(page) == [("1", ["Anna"], "4"), ("2", ["Ben"], "3"), ("3", ["Cleo"], "1")]


def test_a_closed_period_tells_who_won_it_and_its_edition(client: Client, settings: Any) -> None:
    league = league_of()
    close(league, "2024-03")
    page = text(client, "/leagues/club/ladders/month/2024-03/")
    assert steps(page) == [("1", ["Anna"], "4"), ("2", ["Ben"], "3"), ("3", ["Cleo"], "1")]
    assert re.search(r"<b>8 games by 4 players</b></span>\s*<span><i>·</i> <b>Anna won by 1 point</b>", page)
    # By how much is said once: the plate of the board has it, too.
    assert page.count("won by") == 1
    assert "http://testserver/leagues/club/ladders/month/2024-03/?edition=1</p>" in page
    assert "?table=standings&amp;format=csv&amp;edition=1" in page
    lines = text(client, "/leagues/club/ladders/month/2024-03/?table=standings&format=csv&edition=1").split(" ")
    assert lines[0].startswith("rank,player,name,score,games,columns.")
    assert lines[1].startswith("1,anna,Anna,")
    void_game(league.pk, 1, reason="A friendly.", username="test")
    assert "Race of March" not in text(client, "/leagues/club/ladders/month/2024-03/")  # it would tell another story
    close_period(league.pk, "month", "2024-03", reason="A friendly had slipped in.", username="test")
    page = text(client, "/leagues/club/ladders/month/2024-03/")
    assert page.index("Edition 2</a>") < page.index("Edition 1</a>")
    assert 'changes/?from=1&amp;to=2">Show changes</a>' in page
    assert "<b>7 games by 4 players</b>" in page
    settings.RUNGS_ORIGIN = "https://club.example"
    page = text(client, "/leagues/club/ladders/month/2024-03/?edition=1")
    assert "<b>8 games by 4 players</b>" in page
    assert "https://club.example/leagues/club/ladders/month/2024-03/?edition=1" in page


def test_ties_share_a_step_and_a_period_without_a_ranked_player_has_none(client: Client) -> None:
    league = move_club_away()
    for handle in ("eva", "finn"):
        add_player(handle, handle.title())
    make_ladder(league, ties="share")
    make_ladder(league, "five", minimum=5)
    for winner, loser in (("anna", "ben"), ("cleo", "dan"), ("eva", "ben"), ("finn", "dan")):
        record(league, duel(winner, loser, "2024-03-05"))
    close(league, "2024-03")
    close(league, "2024-03", "five")
    page = text(client, "/leagues/club/ladders/month/2024-03/")
    assert steps(page) == [("1", ["Anna", "Cleo", "Eva"], "1")]
    assert "and 1 more</span>" in page
    assert "won by" not in page
    page = text(client, "/leagues/club/ladders/five/2024-03/")
    assert steps(page) == []
    assert "No player qualified." in page
    assert "<b>4 games by 6 players, 0 ranked</b>" in page


def test_the_standings_in_play_say_what_each_player_needs_to_lead(client: Client) -> None:
    where = "/leagues/club/ladders/month/2024-03/"
    page = text(client, where, "2024-03-20T12:00")
    # Anna has four points, Ben three, Cleo one, Dan none.
    assert '<dt>To lead</dt><dd class="short">2 wins<small>Ben, 3.0</small>' in page
    assert re.findall(r'<td class="num opt">([^<]*)</td></tr>', page) == [
        "leads by 1 point",
        "2 wins",
        "4 wins",
        "5 wins",
    ]
    assert "What is needed to lead if nobody else plays." in page
    for past in ("2024-04-01T12:00", "2024-03-20T12:00"):
        page = text(client, where + ("?at=2024-03-13" if past < "2024-04" else ""), past)
        assert "To lead" not in page
    make_ladder(league_of(), "rating", "rating_score")
    page = text(client, "/leagues/club/ladders/rating/2024-03/", "2024-03-20T12:00")
    assert "What a game changes depends on ratings and opponents." in page
    assert '<th scope="col" class="num opt">To lead</th>' not in page


def test_before_its_first_game_a_period_shows_the_champions_of_the_last_one(client: Client) -> None:
    league = league_of()
    close(league, "2024-03")
    record(league, duel("anna", "ben", "2024-04-02"))
    void_game(league.pk, 9, reason="A friendly.", username="test")
    page = text(client, "/leagues/club/ladders/month/2024-04/", "2024-04-03T12:00")
    assert "No games have been played in April 2024 yet." in page
    assert '<h2><a href="/leagues/club/ladders/month/2024-03/">March 2024</a></h2>' in page
    assert steps(page)[0] == ("1", ["Anna"], "4")


def test_the_archive_tells_who_won_each_period_by_year(client: Client) -> None:
    league = league_of()
    record(league, duel("dan", "ben", "2024-04-02"))
    record(league, duel("cleo", "ben", "2025-01-02"))
    close(league, "2024-03")
    close(league, "2024-04")
    page = text(client, "/leagues/club/ladders/month/2025-01/", "2025-01-20")
    archive = page[page.index('<dl class="archive gap">') :]
    order = ["<dt>2025</dt>", "January 2025</a>", "<dt>2024</dt>", "April 2024</a>", "Dan</span>", "March 2024</a>"]
    assert [archive.index(one) for one in order] == sorted(archive.index(one) for one in order)
    assert 'March 2024</a> <span class="soft">Anna</span>' in archive


def test_as_it_stood_the_figures_and_the_race_are_of_then(client: Client) -> None:
    page = text(client, "/leagues/club/ladders/month/2024-03/?at=2024-03-13", "2024-03-20T12:00")
    assert "Ben<small>3.0, 1.0 ahead</small>" in page
    assert "<dt>Games</dt><dd>5<" in page
    assert (
        "March 2024 day by day: Ben: first 0.0, highest 3.0, last 3.0; Anna: first 0.0, highest 2.0, last 2.0;" in page
    )
    assert "Days left" not in page
    assert "&amp;at=2024-03-13" in page
    assert "The ranking at the start of 2024-03-13; this was not published." in page
    assert "/leagues/club/ladders/month/2024-03/?at=2024-03-13</p>" in page
    assert "before the last evening" not in page


def test_who_is_not_ranked_stands_below_the_others_with_what_is_missing(client: Client) -> None:
    make_ladder(league_of(), "four", minimum=4)
    page = text(client, "/leagues/club/ladders/four/2024-03/")
    assert page.count('class="out cut"') == 1
    assert "3 games played, needs 1 more" in page
    assert "by 4 players, 3 ranked" in page


def test_who_is_not_ranked_yet_is_named_with_what_leads() -> None:
    league = move_club_away()
    make_ladder(league)
    record(league, sheet(("anna", "ben"), (3, 1), played_at=utc("2024-03-01")))
    method = build_method(period(league, "2024-03").rule)
    rows: list[dict[str, Any]] = [
        {"player": "anna", "name": "Anna", "rank": 1, "score": 3.0},
        {"player": "dan", "name": "Dan", "rank": None, "score": 2.0},
    ]
    assert describe_chase(method, rows, {"dan": Need(1, 76)}) == "Dan needs a game scoring 76 to lead"


def test_a_lead_is_told_shared_decided_and_alone() -> None:
    league = move_club_away()
    make_ladder(league)
    make_ladder(league, "shared", ties="share")
    record(league, sheet(("anna", "ben"), (3, 1), played_at=utc("2024-03-01")))
    record(league, sheet(("ben", "anna"), (1, 0), played_at=utc("2024-03-02")))

    def lead(slug: str) -> tuple[str, str]:
        one = period(league, "2024-03", slug)
        found = find_lead(build_method(one.rule), load_live_rows(one))
        assert found is not None
        return found.sentence, found.note

    level = "1.0, tied with Ben, decided by Scores"
    assert lead("month") == (f"Anna leads with {level}", level)
    assert lead("shared") == ("Anna and Ben share the lead", "1.0")
    one = period(league, "2024-03")
    assert find_lead(build_method(one.rule), []) is None
    alone = find_lead(build_method(one.rule), load_live_rows(one)[:1])
    assert alone is not None
    assert (alone.sentence, alone.note) == ("Anna leads", "1.0")
    assert [join_names(list("ab")), join_names(list("abc")), join_names(list("abcd"))] == [
        "a and b",
        "a, b and c",
        "4 players",
    ]


def test_the_lead_is_the_difference_of_the_figures_as_printed() -> None:
    league = move_club_away("barbu")
    make_ladder(league, method="erf_mean")
    record(league, sheet(("anna", "ben", "cleo", "dan"), (10, 5, -5, -10), played_at=utc("2024-03-05")))
    one = period(league, "2024-03")
    # As a reader takes one from the other: 1002.17 and 1001.83. What is printed alike is told with more digits.
    for *scores, by in ((1002.1656, 1001.8311, "0.34"), (1002.1666, 1002.1654, "0.001"), (1002.0, 1001.5, "0.50")):
        rows = [{**row, "score": score} for row, score in zip(load_live_rows(one)[:2], scores, strict=True)]
        found = find_lead(build_method(one.rule), rows)
        assert found is not None
        assert found.sentence == f"Anna leads by {by}"


def test_days_are_those_of_the_leagues_clock() -> None:
    league = move_club_away(time_zone="Pacific/Auckland")
    make_ladder(league)
    make_ladder(league, "ever", cadence="all_time")
    record(league, duel("anna", "ben", "2024-03-10"))
    one = period(league, "2024-03")
    # 31 March in Auckland begins on the 30th at 11:00 by universal time, and ends 24 hours later.
    found = [
        count_days_left(league, one, utc(when)) for when in ("2024-03-30T10:59", "2024-03-30T11:00", "2024-03-31T11:00")
    ]
    assert found == [1, 0, None]
    assert count_days_left(league, period(league, "all", "ever"), utc("2024-03-30")) is None


def test_a_dated_ladder_and_one_of_all_time_have_their_pages(client: Client) -> None:
    league = move_club_away()
    create_ladder(
        league.pk,
        "cup",
        "Cup",
        RankingRule("points", "dated", {}, date(2024, 3, 1), date(2024, 3, 10)),
        username="test",
    )
    make_ladder(league, "ever", cadence="all_time")
    for day in ("2021-01-10", "2024-03-02", "2024-03-09"):
        record(league, duel("anna", "ben", day))
    cup = text(client, "/leagues/club/ladders/cup/", "2024-03-09T12:00")
    assert "<dt>Days left</dt><dd>1<small>ends 10 March</small>" in cup
    ever = text(client, "/leagues/club/ladders/ever/", "2024-03-09T12:00")
    assert "All games of the league." in ever
    assert ">2021</text>" in ever
    assert "Days left" not in ever


def test_the_first_page_shows_the_race_of_the_period_in_play(client: Client) -> None:
    page = text(client, "/leagues/club/", "2024-03-20T12:00")
    lead = 'March 2024</a>: <strong>Anna leads by 1 point</strong></span> <span class="meta nowrap">11 days left<'
    assert lead in page
    assert "March 2024 day by day: Anna: first 0.0, highest 4.0, last 4.0; Ben:" in page
    assert "leads by" not in text(client, "/leagues/club/", "2024-05-20T12:00")
    assert '<span class="meta nowrap">ends today</span>' in text(client, "/leagues/club/", "2024-03-31T12:00")
    assert "leads by" not in text(client, "/leagues/club/?at=2024-03-10", "2024-03-20T12:00")


def test_before_a_second_evening_the_first_page_shows_the_first_three(client: Client) -> None:
    league = move_club_away()
    make_ladder(league, minimum=1)
    record(league, duel("anna", "ben", "2024-03-10"))
    page = text(client, "/leagues/club/", "2024-03-12")
    assert '<span class="medal m1">1</span><span class="n">Anna</span>' in page
    other = make_league(slug="other", players=())
    make_ladder(other, minimum=3)
    record(other, duel("anna", "ben", "2024-03-10"))
    assert "No player is ranked yet." in text(client, "/leagues/other/", "2024-03-12")


#: Queries of a period's page, whatever the size of the league; its figures one.
COSTS = {
    # Two ask for the state by which the page is cached; five, race, movement and needs, are cached apart.
    "/leagues/club/ladders/month/2024-03/": 19,
    "/leagues/club/ladders/month/winners/": 6,
    # Four read the small race of the ladder, which is then kept.
    "/leagues/club/ladders/": 14,
}


@pytest.mark.parametrize("path", COSTS)
def test_a_page_of_ladders_costs_so_many_queries(client: Client, path: str, django_assert_num_queries: Any) -> None:
    with clock(utc("2024-03-20T12:00")), django_assert_num_queries(COSTS[path]):
        client.get(path)


def test_titles_of_who_was_merged_are_those_of_the_one_into_whom(client: Client) -> None:
    league = league_of()
    close(league, "2024-03")
    zora = add_player("zora", "Zora")
    merge_players(Player.objects.get(handle="anna"), zora, username="test")
    hall = text(client, "/leagues/club/ladders/month/winners/")
    champions = hall[hall.index("Champions</h2>") : hall.index("By period</summary>")]
    assert "players/zora/" in champions
    assert "players/anna/" not in champions


@pytest.mark.parametrize(("scores", "printed"), [((4.0, 3.0), ["4", "3"]), ((4.0, 2.5), ["4.0", "2.5"])])
def test_whole_scores_of_a_plate_have_no_decimals(scores: tuple[float, ...], printed: list[str]) -> None:
    rows = [
        {"rank": rank, "player": "p", "name": "P", "score": score, "games": 3}
        for rank, score in enumerate(scores, start=1)
    ]
    plate = build_plate(cast("Any", SimpleNamespace(decimals=1)), cast("Any", rows))
    assert [step.score for step in plate] == printed


def test_a_plate_says_what_a_figure_is_that_could_be_a_year() -> None:
    method = cast("Any", SimpleNamespace(decimals=1, score_label="Performance"))
    cases = {(2013.0, 1984.0): "Performance", (2013.5, 1984.0): "", (20.0, 18.0): ""}
    for scores, label in cases.items():
        rows = [
            {"rank": rank, "player": "p", "name": "P", "score": score, "games": 3}
            for rank, score in enumerate(scores, start=1)
        ]
        assert [step.label for step in build_plate(method, cast("Any", rows))] == [label, label]


@pytest.mark.parametrize(
    ("games", "words"),
    [(1, "a game scoring 83"), (2, "two games scoring 83 each"), (3, "three games scoring 83 each")],
)
def test_a_need_cannot_be_read_as_games_out_of_a_number(games: int, words: str) -> None:
    method = cast("Any", SimpleNamespace(deciding_figure=lambda: "performance"))
    assert describe_need(method, Need(games, 83)) == words


def test_a_plate_says_in_how_many_games_and_by_how_much_the_winner_won() -> None:
    scores = ((1, 12.0), (2, 9.5), (2, 9.5))
    rows = [{"rank": rank, "player": "p", "name": "P", "score": score, "games": 7} for rank, score in scores]
    plate = build_plate(cast("Any", SimpleNamespace(decimals=1)), cast("Any", rows))
    assert [(step.games, step.lead) for step in plate] == [(7, "2.5"), (None, "")]
    # A tie-break decides between the first two: nobody is ahead by anything.
    rows[1:] = [{**rows[1], "score": 12.0}, {**rows[2], "rank": 3}]
    plate = build_plate(cast("Any", SimpleNamespace(decimals=1)), cast("Any", rows))
    assert [step.lead for step in plate] == ["", "2.5", ""]
