"""The page of a player: the figures, the history as it is drawn, the record, the games with their causes, the table."""

import csv
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import numpy as np
import pytest
from django.test import Client

from league.core.db.columns import convert_to_micros
from league.core.games.services.record import void_game
from league.core.ladders.services.decisions import advance
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.core.players.selectors.head_to_head import load_rivals
from league.core.players.selectors.played_games import (
    HistoryLine,
    PlayerHistoryLines,
    build_player_games,
    load_history_lines,
)
from league.core.players.selectors.profile import FinishShare, SeatGroup, Streak, compute_profile
from league.core.players.selectors.resolve import find_player
from league.core.players.selectors.tables import load_tables
from league.core.players.selectors.titles import Title, load_titles
from league.core.players.services.merges import merge_players
from league.core.players.services.players import add_player, change_player
from league.core.rules.selectors.rules import build_rule_system, load_rules
from league.core.text.display_formats import format_ordinal
from league.models import League, Player
from league.web.public.charts import player_chart
from league.web.public.charts.player_strips import build_title_strips, count_games_by_month
from league.web.public.charts.plots import thin_points
from tests.helpers.builders import EVENING, FOUR, make_league, record, sheet
from tests.helpers.desk_client import fetch_page
from tests.helpers.ladder_builders import clock, record_as_played
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
THREE = ("anna", "ben", "cleo")


def profile(league: League, handle: str, settled_from: int = 0) -> Any:
    """Return a player's record."""
    who = find_player(handle)
    lines = load_history_lines(league, who)
    return compute_profile(
        build_player_games(load_tables(league, who), who, load_rules(league)), lines, lines[settled_from:]
    )


def three_games() -> League:
    """Make a league in which anna finishes 1st of 3, 2nd of 3 (level with ben), 1st of 2, and draws with ben."""
    league = make_league()
    record(league, sheet(THREE, (9, 5, 1)))
    record(league, sheet(("cleo", "anna", "ben"), (8, 4, 4), minutes=1))
    record(league, sheet(("anna", "dan"), (2, 1), minutes=2))
    record(league, sheet(("anna", "ben"), (3, 3), minutes=3))
    return league


def test_finishes_seats_and_sizes_are_counted() -> None:
    found = profile(three_games(), "anna")
    assert (found.games, found.won, found.drawn, found.lost, found.pairs) == (4, 2, 1, 1, False)
    assert found.finishes == [FinishShare(1, 1, 3, 0.75), FinishShare(2, 2, 1, 0.25)]
    assert [(one.key, one.games, one.won, one.finish) for one in found.seats] == [(1, 3, 2, 1.0), (2, 1, 0, 2.0)]
    assert [(one.key, one.games, one.won, one.finish) for one in found.sizes] == [(2, 2, 2 - 1, 1.0), (3, 2, 1, 1.5)]
    assert (found.longest, found.current) == (Streak(1, 1, 1), None)
    assert (found.best.number, found.worst.number) == (1, 2)


def test_the_best_and_the_worst_game_come_after_the_first_games() -> None:
    # After the first game cleo only finished ahead of both, after anna's first two only dan was beaten.
    league = three_games()
    assert (profile(league, "anna", 2).best.number, profile(league, "cleo", 1).worst) == (3, None)


def test_void_games_and_friendlies_do_not_count() -> None:
    league = three_games()
    void_game(league.pk, 1, reason="a test", username="test")
    record(league, sheet(("anna", "dan"), (2, 1), minutes=9, kind="friendly"))
    found = profile(league, "anna")
    assert (found.games, found.won) == (3, 1)
    assert found.sizes == [
        SeatGroup(2, 2, 1, 1.0, found.sizes[0].change),
        SeatGroup(3, 1, 0, 2.0, found.sizes[1].change),
    ]


def test_runs_of_wins_are_found_and_the_present_one() -> None:
    league = make_league()
    for minute, mine in enumerate((2, 2, 2, 0, 1, 2, 2)):
        record(league, sheet(("anna", "ben"), (mine, 1), minutes=minute))
    found = profile(league, "anna")
    assert (found.longest, found.current) == (Streak(3, 1, 3), Streak(2, 6, 7))
    assert (found.won, found.drawn, found.lost, found.pairs) == (5, 1, 1, True)
    assert profile(league, "ben").current is None
    nobody = profile(league, "cleo")
    assert (nobody.games, nobody.finishes, nobody.seats, nobody.longest, nobody.best) == (0, [], [], None, None)


def test_many_finishes_are_one_line() -> None:
    handles = [f"p{number}" for number in range(9)]
    league = make_league(players=handles)
    for turn in range(9):
        record(league, sheet(handles[turn:] + handles[:turn], places=list(range(1, 10)), minutes=turn))
    found = profile(league, "p0")
    ninth = 1 / 9
    assert found.finishes == [
        *[FinishShare(rank, rank, 1, ninth) for rank in range(1, 7)],
        FinishShare(7, 9, 3, 3 / 9),
    ]


def test_points_a_game_turn_their_sign_where_the_lowest_score_wins() -> None:
    for slug, winner, margin in (("high", "highest", -150.0), ("low", "lowest", 150.0)):
        league = make_league("preferans", THREE, slug=slug, parameters={"winner": winner})
        record(league, sheet(THREE, (-100, 50, 50), details={"bula": 30}))
        assert [one.margin for one in load_rivals(league, find_player("anna"), load_rules(league), 5)] == [
            margin,
            margin,
        ]
    boats = make_league(slug="boats")
    record(boats, sheet(THREE, places=(1, 2, 3)))
    assert [one.margin for one in load_rivals(boats, find_player("anna"), load_rules(boats), 5)] == [None, None]


def test_places_are_written_as_people_say_them() -> None:
    said = [format_ordinal(rank) for rank in (1, 2, 3, 4, 11, 12, 13, 21, 22, 101, 111, None)]
    assert said == ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "101st", "111th", "–"]


def test_the_page_shows_figures_record_and_causes(client: Client) -> None:
    three_games()
    page = fetch_page(client, "/leagues/club/players/anna/")
    assert "<small>2 won, 50%</small>" in page
    assert "Played on" in page
    assert 'href="/leagues/club/games/4/#anna"' in page
    cells = r'<b class="place p1">1st</b> <time[^>]*>[^<]*</time></a></th><td class="num strong nowrap">2–1</td>'
    assert re.search(cells, page)
    # Own result first, then the others, the best first.
    assert re.search(
        r'<b class="place">2nd</b>.*?>Cleo</a>&nbsp;8, <a class="quiet" href="[^"]*">Ben</a>&nbsp;4</td>', page
    )


def test_leagues_of_two_show_wins_draws_and_losses(client: Client) -> None:
    league = make_league()
    for minute, mine in enumerate((2, 1, 0)):
        record(league, sheet(("anna", "ben"), (mine, 1), minutes=minute))
    page = fetch_page(client, "/leagues/club/players/anna/")
    places = re.findall(r'<b class="place[^"]*">(\w+)\s*</b>', page)
    assert places == ["lost", "drawn", "won"]
    assert "Results</h2>" in page
    assert "Mean finish" not in page


def test_a_game_of_two_sides_has_sides_and_a_lead_in_place_of_seats(client: Client) -> None:
    record(make_league(), sheet(("anna", "ben"), (3, 1)))
    record(League.objects.get(), sheet(("ben", "anna"), (2, 1), minutes=1))
    page = fetch_page(client, "/leagues/club/players/anna/")
    assert '<h2 id="seats">By side</h2>' in page
    assert re.findall(r'<th scope="row">\s*(First side|Second side)\s*</th>', page) == ["First side", "Second side"]
    assert "Average lead" in page
    record(League.objects.get(), sheet(THREE, (3, 2, 1), minutes=2))
    page = fetch_page(client, "/leagues/club/players/anna/")
    assert '<h2 id="seats">By seat</h2>' in page
    assert "Average lead" in page
    assert not re.findall(r'<th scope="row">\s*(First side|Second side)\s*</th>', page)


def test_sides_of_chess_are_white_and_black_and_points_of_a_win_are_no_difference(client: Client) -> None:
    league = make_league(game="Chess")
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("ben", "anna"), (0.5, 0.5), minutes=1))
    page = fetch_page(client, "/leagues/club/players/anna/")
    assert re.findall(r'<th scope="row">\s*(White|Black)\s*</th>', page) == ["White", "Black"]
    assert "First side" not in page and "Average lead" not in page


def test_what_the_pool_moved_stands_between_the_games(client: Client) -> None:
    league = make_league("barbu", (*FOUR, "eva"), parameters={"zero_sum": "league"})
    record(league, sheet(FOUR, (10, 0, 0, -10)))
    record(league, sheet(("eva", *FOUR[1:]), (50, 0, 0, -10), minutes=60))
    page = fetch_page(client, "/leagues/club/players/anna/")
    assert page.count("Zero-sum correction") == 1
    assert "has changed this rating from" in page
    record(league, sheet(FOUR, (10, 0, 0, -10), minutes=90))
    page = fetch_page(client, "/leagues/club/players/anna/")
    assert "Through other players' games before game 3" in page
    assert "has changed this rating from" not in page


def test_the_table_holds_every_game_and_quotes_what_a_spreadsheet_would_run(client: Client) -> None:
    league = three_games()
    void_game(league.pk, 3, reason="a test", username="test")
    change_player(Player.objects.get(handle="ben"), name="=1+1")
    answer = client.get("/leagues/club/players/anna/games.csv")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="club-anna.csv"'
    rows = list(csv.DictReader(StringIO(answer.content.decode())))
    assert [(row["game"], row["status"], row["players"], row["finish"], row["score"]) for row in rows] == [
        ("1", "rated", "3", "1", "9.0"),
        ("2", "rated", "3", "2", "4.0"),
        ("3", "void", "2", "1", "2.0"),
        ("4", "rated", "2", "1", "3.0"),
    ]
    assert rows[0]["against"] == "'=1+1, Cleo"
    assert rows[2]["change"] == ""
    assert float(rows[0]["rating_after"]) == 1500 + float(rows[0]["change"])
    assert client.get("/leagues/club/players/nemo/games.csv").status_code == 404


def test_others_are_drawn_beside_a_player(client: Client) -> None:
    league = three_games()
    record(league, sheet(("cleo", "dan"), (8, 4), minutes=5))
    page = fetch_page(client, "/leagues/club/players/anna/?with=ben&with=Cleo&with=nemo&with=anna&with=%00")
    assert "No player in this league matches “nemo”." in page
    names = re.findall(r'<text class="lab"[^>]*>(\w+) ?<tspan', page)
    assert sorted(names) == ["Anna", "Ben", "Cleo"]
    add_player("eva", "Eva")
    record(make_league(slug="other"), sheet(("eva", "dan"), (1, 0)))
    assert "matches “eva”" in fetch_page(client, "/leagues/club/players/anna/?with=eva")
    # Once is no line.
    assert "None of these players has played twice." in fetch_page(client, "/leagues/other/players/eva/?with=dan")


def line(n: int, after: float, at: datetime | None = None) -> HistoryLine:
    """Return a player's n-th line."""
    return HistoryLine(at or EVENING + timedelta(days=n), n, n, 1, after, 0.0, after, 0.0, 0.0, 0.0)


def table(*lines: HistoryLine) -> PlayerHistoryLines:
    """Return lines as columns."""
    at, *figures = zip(*lines, strict=True)
    columns = [[convert_to_micros(moment) for moment in at], *figures]
    return PlayerHistoryLines(
        **{name: np.array(column) for name, column in zip(HistoryLine._fields, columns, strict=True)}
    )


def drawn(*lines: HistoryLine, titles: Sequence[Title] = ()) -> Any:
    """Return how a history of such lines is drawn."""
    league = League.objects.first() or make_league()
    return player_chart.build_chart(league, build_rule_system(load_rules(league)[0]), table(*lines), list(titles), 20)


#: Twenty games of a newcomer, and eighty that move little.
#: Every second game is within the scale of the later ones, 1500 to 1504; of FAR none is.
WILD = [line(n, 1502.0 if n % 2 else 1500.0 - 40 * n) for n in range(1, 21)]
FAR = [line(n, 1500.0 - 40 * n) for n in range(1, 21)]
CALM = [line(n, 1500.0 + n % 5) for n in range(21, 101)]


def test_a_newcomers_games_do_not_flatten_what_follows_and_dots_below_the_scale_are_left_out() -> None:
    won = Title("month", "Month", "2024-03", "March 2024", 1.0, 0, WILD[-1].at + timedelta(seconds=1))
    both = drawn(*WILD, *CALM, titles=[won])
    assert (both.newcomer, both.swing, both.low, both.high) == (20, (700.0, 1502.0), 1500.0, 1504.0)
    # Below the scale there is no dot, as the days and years are printed there; the tick stays.
    assert [dot for dot in both.plot.dots if dot.kind == "won"] == []
    assert len(both.plot.ticks) == 1
    later = Title("month", "Month", "2024-04", "April 2024", 1.0, 0, CALM[9].at + timedelta(seconds=1))
    assert len([dot for dot in drawn(*WILD, *CALM, titles=[later]).plot.dots if dot.kind == "won"]) == 1
    settled = drawn(*[line(n, 1501.0) for n in range(1, 21)], *CALM)
    assert (settled.newcomer, settled.swing, settled.low, settled.high) == (20, None, 1500.0, 1504.0)
    assert drawn(*WILD).newcomer == 0
    assert drawn(*WILD[:1]) is None


def test_a_newcomers_games_are_drawn_where_the_scale_has_room_and_left_out_where_nothing_of_them_is_seen() -> None:
    # 1496 to 1504 is twice the 4 points of the later games.
    near = drawn(*[line(n, 1496.0) for n in range(1, 21)], *CALM)
    assert (near.newcomer, near.swing, near.low, near.high) == (20, None, 1496.0, 1504.0)
    far = drawn(*FAR, *CALM)
    assert (far.newcomer, far.swing, far.plot.bands, far.first) == (0, None, [], CALM[0].at)
    assert far.plot.stops[0].number == 21


def test_games_of_one_moment_stand_in_their_order() -> None:
    of_one_moment = drawn(*[line(n, 1500.0, EVENING) for n in (1, 2, 3)])
    assert [stop.x for stop in of_one_moment.plot.stops] == [0.0, 50.0, 100.0]


def test_a_history_names_years_or_months_else_its_first_and_last_day() -> None:
    told: list[tuple[list[datetime], list[tuple[float, str]], list[str]]] = [
        ([EVENING, EVENING + timedelta(days=30)], [(0.0, "5 Mar 2024"), (100.0, "4 Apr 2024")], []),
        ([EVENING, EVENING], [(100.0, "5 Mar 2024")], []),
        # One year is no scale: of 13 months each third one.
        ([EVENING, EVENING + timedelta(days=366)], [], ["Apr 2024", "Jul", "Oct", "Jan 2025"]),
        # November begins too near to the edge.
        ([EVENING, EVENING + timedelta(days=242)], [], ["May 2024", "Jul", "Sep"]),
        ([datetime(1900 + n, 6, 1, tzinfo=UTC) for n in range(100)], [], ["1920", "1940", "1960", "1980"]),
    ]
    for moments, marks, years in told:
        plot = drawn(*[line(n, 1500.0 + n, at) for n, at in enumerate(moments, start=1)]).plot
        assert [(mark.x, mark.words) for mark in plot.marks] == marks
        assert [mark.words for mark in plot.years] == years


def test_few_games_have_a_dot_each() -> None:
    dots = drawn(*[line(n, 1500.0 + n) for n in range(1, 4)]).plot.dots
    assert [(dot.x, dot.kind) for dot in dots] == [(0.0, ""), (50.0, ""), (100.0, ""), (100.0, "first")]
    assert len(drawn(*[line(n, 1500.0 + n) for n in range(1, 14)]).plot.dots) == 1


def test_a_long_history_is_thinned_and_keeps_its_peaks() -> None:
    points = [(float(n), float(n % 97)) for n in range(20_000)]
    points[12_345] = (12_345.0, 5000.0)
    kept = thin_points(points)
    assert len(kept) <= 1500
    assert (kept[0], kept[-1]) == (points[0], points[-1])
    assert points[12_345] in kept


def test_closed_periods_won_are_titles_and_dots(client: Client) -> None:
    march, april = datetime(2024, 3, 5, 19, 30, tzinfo=UTC), datetime(2024, 4, 9, 19, 30, tzinfo=UTC)
    with clock(march):
        league = make_league(close_after_hours=0)
        create_ladder(league.pk, "month", "Table of the month", RankingRule("points", "month"), username="test")
    for played_at in (march, march + timedelta(hours=1), april):
        record_as_played(league, sheet(("anna", "ben"), (1, 0), played_at=played_at))
    advance(league.pk, datetime(2024, 5, 3, tzinfo=UTC))
    found, closed = load_titles(league, find_player("anna"))
    assert [(one.title, one.ladder, one.score) for one in found] == [
        ("April 2024", "month", 1.0),
        ("March 2024", "month", 2.0),
    ]
    assert [one.name for one in closed] == ["April 2024", "March 2024"]
    assert load_titles(league, find_player("ben")) == ([], closed)
    page = fetch_page(client, "/leagues/club/players/anna/")
    assert "<dt>Titles</dt><dd>2<small>latest: Table of the month, April 2024</small>" in page
    assert page.count(" champion (Table of the month)</title>") == 2
    cells = re.findall(r'<td><a href="/leagues/club/ladders/month/(2024-..)/" title="([^"]*)">(\w+)</a></td>', page)
    assert cells == [("2024-03", "March 2024: 2.0", "Mar"), ("2024-04", "April 2024: 1.0", "Apr")]
    assert 'class="yearly"' not in fetch_page(client, "/leagues/club/players/ben/"), "no title and three games"
    # Whoever has none has no figure of it.
    assert ">Titles</dt>" not in fetch_page(client, "/leagues/club/players/ben/")
    merge_players(find_player("anna"), find_player("dan"), username="test")
    assert [one.title for one in load_titles(league, find_player("dan"))[0]] == ["April 2024", "March 2024"]


def test_a_newcomer_is_who_the_system_does_not_rely_on() -> None:
    league = make_league()
    system = build_rule_system(load_rules(league)[0])

    class Sure(type(system)):  # type: ignore[misc]  # whatever the league's system is
        def provisional(self, state: Any, games: int) -> bool:
            return games < 7

    lines = table(*[line(n, 1500.0) for n in range(1, 31)])
    assert player_chart.count_first_games(system, lines) == 20
    assert player_chart.count_first_games(Sure(), lines) == 6
    assert player_chart.count_first_games(Sure(), lines[:3]) == 3


@long_way
def test_a_peak_counts_after_the_first_games_in_figure_and_chart(client: Client) -> None:
    league = make_league(parameters={"k": 20})
    # Anna wins 15 games, loses 30, and wins one: her highest since game 20 is after game 20.
    for minute in range(46):
        won = minute < 15 or minute == 45
        record(league, sheet(("anna", "ben"), (1, 0) if won else (0, 1), minutes=minute))
    lines = load_history_lines(league, find_player("anna"))
    assert lines.after.argmax() == 14
    page = fetch_page(client, "/leagues/club/players/anna/")
    figure = re.search(r"<dt>Peak</dt><dd[^>]*>([\d.]+)<small><a[^>]*/games/(\d+)/", page)
    assert figure and figure[2] == "21"
    assert re.search(r"<small>\s*not counting the first 20 games\s*</small>", page)
    assert f">peak {figure[1]}, 5 Mar 2024<" in page
    # The first 20 games have the biggest loss, of one who has won 15 times; the biggest gain comes after 30 losses.
    assert lines.change.argmin() < 20 and lines.change.argmax() == 45
    records = page.partition('id="marks"')[2].partition("</section>")[0]
    gain, loss = records.split("Biggest loss")
    assert ["not counting the first 20 games" in part for part in (gain, loss)] == [False, True]
    # A range that begins later has a highest value, which is no peak.
    later = fetch_page(client, "/leagues/club/players/anna/?range=30-46")
    assert re.search(rf"<dt>Peak</dt><dd[^>]*>{figure[1]}<small><a[^>]*/games/21/", later)
    assert "newcomer" not in later and ">peak " not in later
    assert f">highest {lines.after[29]:.1f}, 5 Mar 2024<" in later
    # An unknown range is the whole; the peak and the loss say what they leave out.
    whole = fetch_page(client, "/leagues/club/players/anna/?range=nonsense")
    assert whole.count("not counting the first 20 games") == 2


@long_way
def test_the_range_is_kept_on_other_pages_of_games(client: Client) -> None:
    league = make_league()
    for minute in range(60):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=minute))
    page = fetch_page(client, "/leagues/club/players/anna/?range=100&with=ben")
    assert 'href="?page=2&amp;range=100&amp;with=ben#games"' in page


@pytest.mark.parametrize("scores", [None, (3, 1)])
def test_without_any_score_there_is_no_column_of_scores(client: Client, scores: tuple[int, int] | None) -> None:
    league = make_league()
    record(league, sheet(THREE, scores and (*scores, 0), places=None if scores else (1, 2, 3)))
    page = fetch_page(client, "/leagues/club/players/anna/")
    (table,) = re.findall(r'<table class="own.*?</table>', page, re.DOTALL)
    assert ('<th scope="col" class="num">Score</th>' in table) is bool(scores)


@pytest.mark.parametrize(
    ("text", "games"),
    [
        ("all", range(1, 101)),
        ("100", range(1, 101)),
        ("11-20", range(11, 21)),
        ("90-500", range(90, 101)),
        # Fewer than two games are no chart.
        ("7-7", range(1, 101)),
        ("20-11", range(1, 101)),
        ("-5", range(1, 101)),
        ("1-²", range(1, 101)),
        ("1-" + "9" * 30, range(1, 101)),
    ],
)
def test_a_range_is_a_name_or_two_games(text: str, games: range) -> None:
    chosen = player_chart.select_range(table(*WILD, *CALM), player_chart.clean_range(text))
    assert chosen.games.tolist() == list(games)


def test_the_small_chart_shows_the_whole_history_and_what_is_chosen() -> None:
    lines = table(*FAR, *CALM)
    overview = player_chart.build_overview(lines, lines[-30:], 20)
    assert overview is not None
    assert (overview.games, overview.first, overview.last) == (100, 71, 100)
    # The scale is that of the later games, 1500 to 1504; the first game is far below.
    assert overview.path.startswith("M0.0 9500.0 ")
    assert overview.path.endswith(" 1000.0 900.0")
    assert player_chart.build_overview(lines[:39], lines[:39], 20) is None


def test_games_by_month_are_counted_in_the_leagues_zone() -> None:
    league = make_league(time_zone="Pacific/Auckland")
    # 31 December at 17:00 UTC is six in the morning of 1 January in Auckland.
    days = [datetime(2022, 12, 31, 17, tzinfo=UTC), *[datetime(2023, 3, 5, tzinfo=UTC)] * 3]
    days.append(datetime(2024, 12, 31, 10, tzinfo=UTC))
    found = count_games_by_month(league, np.array([convert_to_micros(day) for day in days]))
    assert found is not None
    assert [(year, [month.games for month in months]) for year, months in found.years] == [
        (2024, [0] * 11 + [1]),
        (2023, [1, 0, 3] + [0] * 9),
    ]
    assert [month.shade for month in found.years[1][1][:3]] == [2, 0, 4]
    assert found.years[1][1][2].words == "March 2023: 3 games"
    assert (found.earlier, found.since) == (0, 2023)
    assert count_games_by_month(league, np.array([0, 1, 2, 3])) is None


def test_games_by_month_begin_six_years_back_and_count_those_before() -> None:
    days = [datetime(year, 6, 5, tzinfo=UTC) for year in (2015, 2016, 2018, 2019, 2024)]
    found = count_games_by_month(make_league(), np.array([convert_to_micros(day) for day in days]))
    assert found is not None
    assert (found.earlier, found.since) == (3, 2019)


def test_quarters_and_years_have_strips_of_their_own(client: Client) -> None:
    march = datetime(2024, 3, 5, 19, 30, tzinfo=UTC)
    with clock(march):
        league = make_league(close_after_hours=0)
        for cadence in ("quarter", "year", "week"):
            create_ladder(league.pk, cadence, cadence.title(), RankingRule("points", cadence), username="test")
    for weeks, scores in ((0, (1, 0)), (1, (0, 1)), (20, (1, 0)), (60, (1, 0))):
        record_as_played(league, sheet(("anna", "ben"), scores, played_at=march + timedelta(weeks=weeks)))
    advance(league.pk, datetime(2026, 1, 3, tzinfo=UTC))
    strips = {strip.ladder: strip for strip in build_title_strips(*load_titles(league, find_player("anna")))}
    quarters = strips["quarter"]
    # March 2024 is shared by both; of 2024 the second quarter has no game.
    assert (quarters.won, quarters.closed, quarters.columns) == (3, 3, 4)
    assert [(year, [cell and (cell.label, cell.won) for cell in cells]) for year, cells in quarters.rows] == [
        ("2025", [None, ("Q2", True), None, None]),
        ("2024", [("Q1", True), None, ("Q3", True), None]),
    ]
    years = strips["year"]
    assert [(year, [cell and cell.label for cell in cells]) for year, cells in years.rows] == [
        ("", ["2024", "2025", *[None] * 8])
    ]
    ((year, weeks_won),) = strips["week"].rows
    assert (strips["week"].columns, year, len(weeks_won)) == (0, "", 3)
