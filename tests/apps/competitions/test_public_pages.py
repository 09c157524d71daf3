"""The public pages of competitions: what now, standings, brackets, fixtures, a player's next games."""

import re
from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from icalendar import Calendar

from league.apps.competitions.models import Competition, Fixture, Round
from league.apps.competitions.public import detail_views, standings_table, views
from league.apps.competitions.services.competitions import finish_competition
from league.apps.competitions.services.fixtures import change_fixture
from league.apps.competitions.services.results import forfeit_fixture, record_result
from league.apps.competitions.services.rounds import make_round, publish_round
from league.models import League, Player
from ratings.standings.ranking import StandingsRow
from tests.helpers.builders import league_of, make_league, record, sheet
from tests.helpers.desk_client import fetch_page, page_text, sign_in_member
from tests.helpers.running_competitions import play_round, run_competition, scores
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
SIX = ("anna", "ben", "cleo", "dan", "eva", "finn")
CUP = "/leagues/club/competitions/cup/"
built = built_once(lambda: make_league(players=SIX))


def read(client: Client, path: str) -> str:
    """Return the words of a page."""
    page = client.get(path)
    assert page.status_code == 200, page.content
    return page_text(page)


def swiss() -> League:
    """Run a Swiss system of three rounds: round one has results, round two is published, the last game is open."""
    league = league_of()
    run_competition(league, SIX, rounds=3, parameters={"first_colour": "white"}, tie_breaks=["BH", "DE"])
    # By the Dutch system: 1 with White meets 4, 5 meets 2, 3 meets 6.
    play_round(league, 1, (1, 0), (0, 1), (0.5, 0.5))
    make_round(league.pk, "cup", by="arbiter")
    publish_round(league.pk, "cup", 2, by="arbiter")
    return league


def test_the_list_says_of_an_open_competition_how_many_places_are_taken_and_when_it_begins(client: Client) -> None:
    begin = datetime(2030, 3, 5, 18, tzinfo=UTC)
    run_competition(league_of(), SIX, status="open", max_entries=16, starts_at=begin)
    words = read(client, "/leagues/club/competitions/")
    assert "6 of 16 places are taken." in words
    assert "begins 5 Mar 2030" in words
    assert "6 of 16 places are taken." in read(client, CUP)


def test_a_long_round_has_pages_of_pairings_beside_those_of_the_standings(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    swiss()
    monkeypatch.setattr(views, "PAIRINGS", 2)
    monkeypatch.setattr(views, "ROWS", 4)
    built = []

    def build_figures(columns: Any, row: StandingsRow) -> tuple[()]:
        built.append(row.entry)
        return ()

    monkeypatch.setattr(standings_table, "_build_figures", build_figures)
    address = f"{CUP}rounds/1/?page=2&pairings=2"
    page = client.get(address)
    assert [line.state.table for line in page.context["fixtures"]] == [3]
    assert [line.entry.number for line in page.context["pages"]] == built == [4, 5]
    links = [f'href="?{query}"' for query in ("pairings=1&amp;page=2", "page=1&amp;pairings=2")]
    assert [page.content.decode().count(link) for link in links] == [1, 1]
    assert "All results are in" in page_text(page)
    table = client.get(f"{address}&table=pairings&format=csv").content.decode()
    assert len(table.splitlines()) == 1 + 3


def test_a_league_without_competitions_has_no_tab_and_an_empty_list(client: Client) -> None:
    assert "/competitions/" not in fetch_page(client, "/leagues/club/how/")
    assert "This league has no competitions yet." in read(client, "/leagues/club/competitions/")


def test_the_overview_begins_with_the_round_in_play_and_shows_the_standings(client: Client) -> None:
    swiss()
    page = client.get(CUP)
    words = page_text(page)
    assert "Round 2 of 3" in words
    assert "0 of 3 results" in words
    rows = page.context["table"].lines
    # 1 and 2 won, 3 and 6 drew, 4 and 5 lost; everyone has met one opponent with as many points as expected.
    assert [(line.rank, line.entry.name, line.points) for line in rows[:4]] == [
        (1, "Anna", "1.0"), (1, "Ben", "1.0"), (3, "Cleo", "0.5"), (3, "Finn", "0.5"),
    ]  # fmt: skip
    assert "Round 2 of 3" in read(client, "/leagues/club/competitions/")
    assert "round 2 of 3" in read(client, "/leagues/club/")
    # Ben and Anna have won, and meet; nobody had points before round 1.
    assert re.findall(r"No\. (\d) (?:· \d+ )?\(([\d.]+)\)", words)[:2] == [("2", "1.0"), ("1", "1.0")]
    assert "In brackets: the points before the round." in words
    assert "In brackets" not in read(client, f"{CUP}rounds/1/")


def test_a_round_that_is_not_published_is_nowhere(client: Client) -> None:
    league = league_of()
    run_competition(league, SIX, rounds=3)
    make_round(league.pk, "cup", by="arbiter")
    assert "The first round is not published yet." in read(client, CUP)
    assert client.get(f"{CUP}rounds/1/").status_code == 404
    assert "No fixtures yet." in read(client, f"{CUP}fixtures/")
    publish_round(league.pk, "cup", 1, by="arbiter")
    # Before the first result nobody has a rank.
    for path in (CUP, f"{CUP}rounds/1/"):
        page = client.get(path).content.decode()
        assert "Round 1" in page
        assert 'id="standings"' not in page
        assert "medal" not in page


def test_drafts_are_for_arbiters_only(client: Client) -> None:
    run_competition(league_of(), SIX, status=Competition.Status.DRAFT)
    assert client.get(CUP).status_code == 404
    arbiter = sign_in_member("arno", "arbiter", league_of())
    assert "A draft: only organisers and arbiters see this page." in read(arbiter, CUP)
    assert "Run this competition" in read(arbiter, CUP)


def test_a_page_of_a_round_has_results_forfeits_and_the_table_after_it(client: Client) -> None:
    league = swiss()
    first, second, _third = Fixture.objects.filter(round__number=2).order_by("table")
    record_result(league.pk, first.number, scores(0, 1), by="arbiter")
    loser = second.seats.get(seat=2).entry.number
    forfeit_fixture(league.pk, second.number, [loser], "no_show", by="arbiter")
    lines = client.get(f"{CUP}rounds/2/").context["fixtures"]
    assert [(line.result, line.note) for line in lines] == [("0–1", ""), ("1–0", "forfeit: did not come"), ("", "")]
    table = client.get(f"{CUP}rounds/1/").context["table"]
    assert [line.points for line in table.lines] == ["1.0", "1.0", "0.5", "0.5", "0.0", "0.0"]
    csv = client.get(f"{CUP}rounds/1/?table=pairings&format=csv").content.decode().splitlines()
    assert csv[1].startswith("1,1,1,Anna – Dan,played,1–0,")


def test_the_page_of_a_game_leads_to_its_round(client: Client) -> None:
    league = swiss()
    page = client.get("/leagues/club/games/2/").content.decode()
    assert (
        '<a href="/leagues/club/competitions/cup/">Cup</a></span> '
        '<span><i>·</i> <a href="/leagues/club/competitions/cup/rounds/1/">Round 1, table 2</a></span>' in page
    )
    # They have met, so that the game is of no fixture.
    record(league, sheet(("anna", "dan"), scores=(1, 0)))
    assert "Cup" not in read(client, "/leagues/club/games/4/")
    Round.objects.filter(number=1).update(published_at=None)
    assert "Cup" not in read(client, "/leagues/club/games/2/")


def test_an_entrys_card_explains_each_value_by_its_rounds(client: Client) -> None:
    swiss()
    context = client.get(f"{CUP}entries/4/").context
    (one, two) = context["rounds"]
    assert [entry.name for entry in one["opponents"]] == ["Anna"]
    assert (one["points"], one["round"].white, one["line"].result) == ("0", False, "1–0")
    assert two["line"].is_open
    buchholz = context["values"][0]
    # Dan has met Anna, who has one point.
    assert (buchholz["code"], buchholz["value"]) == ("BH", "1.0")
    assert [(part["opponent"].name, part["amount"]) for part in buchholz["parts"][:1]] == [("Anna", "1")]
    assert client.get(f"{CUP}entries/7/").status_code == 404


@pytest.mark.parametrize(("changes", "differ"), [((0.14, 0.14, 0.14), True), ((0.12, 0.21), False), ((), False)])
def test_rounded_changes_may_not_add_up_to_the_rounded_sum(changes: tuple[float, ...], differ: bool) -> None:
    """Three times 0.14 are 0.4, not 0.3; 0.12 and 0.21 are 0.3."""
    card: Any = SimpleNamespace(rounds=[SimpleNamespace(changes=[one]) for one in changes])
    assert detail_views.do_rounded_changes_differ(card, sum(changes)) is differ


def test_fixtures_are_listed_by_day_and_by_entry_and_late_ones_are_marked(client: Client) -> None:
    league = swiss()
    now = datetime.now(UTC)
    late = Fixture.objects.filter(round__number=2).order_by("table").last()
    assert late is not None
    Fixture.objects.filter(pk=late.pk).update(deadline=now - timedelta(days=1))
    page = client.get(f"{CUP}fixtures/?entry=1")
    days = page.context["days"]
    assert [(day.open, len(day.lines)) for day in days] == [(True, 1), (False, 1)]
    assert "Fixtures of Anna" in page_text(page)
    assert "1 fixture has no result after its deadline." in read(client, f"{CUP}fixtures/")
    waiting = late.seats.order_by("seat")[0].entry.players.get().player
    assert "overdue since" in read(client, f"/leagues/club/players/{waiting.handle}/")
    assert league.slug == "club"


@pytest.mark.parametrize(
    ("starts_at", "deadline", "now", "wanted"),
    [(2, 9, 8, None), (2, 9, 9, 9), (2, None, 3, None), (None, None, 9, None)],
)
def test_an_open_game_is_overdue_after_its_deadline_alone(
    starts_at: int | None, deadline: int | None, now: int, wanted: int | None
) -> None:
    begins, ends, time, overdue = (
        day and datetime(2030, 5, day, tzinfo=UTC) for day in (starts_at, deadline, now, wanted)
    )
    assert time
    assert Fixture(starts_at=begins or None, deadline=ends or None).find_overdue_time(time) == (overdue or None)


@long_way
def test_a_players_page_has_the_next_game_and_the_calendar_its_time(client: Client) -> None:
    swiss()
    Round.objects.filter(number=2).update(published_at=datetime(2024, 3, 8, tzinfo=UTC))
    Fixture.objects.filter(round__number=2).update(starts_at=datetime(2030, 5, 2, 18, tzinfo=UTC))
    seats = Fixture.objects.get(round__number=2, seats__entry__number=1).seats.order_by("seat")
    opponent = next(seat.entry.players.get().player for seat in seats if seat.entry.number != 1)
    words = read(client, "/leagues/club/players/anna/")
    title = Competition.objects.get().title
    assert f"Next games Calendar of these games {title} · {opponent.name} · table 1 2 May 2030, 18:00 UTC" in words
    # The running competition with its round is above, and not listed again below.
    assert words.index(f"{title} : round 2") < words.index("Next games")
    assert f"Competitions {title}" not in words
    assert "overdue" not in words
    calendar = client.get("/leagues/club/ladders.ics?player=anna").content.decode()
    assert calendar.count("BEGIN:VEVENT") == 1
    assert "DTSTART:20300502T180000Z" in calendar
    assert client.get("/leagues/club/ladders.ics").content.decode().count("BEGIN:VEVENT") == 3
    # Anna and Ben meet in round two; Cleo becomes Ben, who so has two games.
    Player.objects.filter(handle="cleo").update(merged_into=Player.objects.get(handle="ben"))
    assert client.get("/leagues/club/ladders.ics?player=ben").content.decode().count("BEGIN:VEVENT") == 2


@long_way
@pytest.mark.parametrize("zone", ["UTC", "Europe/Warsaw", "America/New_York", "Asia/Kathmandu"])
def test_a_day_without_an_hour_is_a_whole_day_of_the_calendar(client: Client, zone: str) -> None:
    swiss()
    Round.objects.filter(number=2).update(published_at=datetime(2024, 3, 8, tzinfo=UTC))
    League.objects.update(time_zone=zone)
    number = Fixture.objects.filter(round__number=2).order_by("table").values_list("number", flat=True)[0]
    Fixture.objects.filter(number=number).update(starts_at=datetime(2030, 5, 2, tzinfo=ZoneInfo(zone)))
    Fixture.objects.filter(round__number=2).exclude(number=number).update(
        deadline=datetime(2030, 5, 9, tzinfo=ZoneInfo(zone))
    )

    def read_events() -> dict[str, Any]:
        book = Calendar.from_ical(client.get("/leagues/club/ladders.ics").content)
        return {str(event["uid"]): event for event in book.walk("VEVENT") if str(event["uid"]).startswith("fixture.")}

    before = read_events()
    day = before[f"fixture.{number}.club@testserver"]
    assert (day["dtstart"].dt, day["dtend"].dt) == (date(2030, 5, 2), date(2030, 5, 3))
    assert {event["dtstart"].dt for event in before.values()} == {date(2030, 5, 2), date(2030, 5, 9)}
    change_fixture(league_of().pk, number, {"starts_at": datetime(2030, 5, 3, 18, tzinfo=ZoneInfo(zone))}, by="arbiter")
    after = read_events()[f"fixture.{number}.club@testserver"]
    assert after["dtstart"].dt == datetime(2030, 5, 3, 18, tzinfo=ZoneInfo(zone))
    assert after["dtend"].dt - after["dtstart"].dt == timedelta(hours=2)
    assert after["sequence"] > day["sequence"] and "status" not in after
    change_fixture(league_of().pk, number, {"cancelled": True}, by="arbiter", reason="Rain.")
    gone = read_events()[f"fixture.{number}.club@testserver"]
    assert (gone["status"], gone["sequence"] > after["sequence"]) == ("CANCELLED", True)


def test_a_round_says_when_a_game_begins_at_another_time_than_the_others(client: Client) -> None:
    """One begins an hour after the round, as in a hall of few tables; its day is named if it is another one."""
    swiss()
    begins = datetime(2030, 5, 2, 18, tzinfo=UTC)
    Round.objects.filter(number=2).update(published_at=datetime(2024, 3, 8, tzinfo=UTC), starts_at=begins)
    Fixture.objects.filter(round__number=2).update(starts_at=begins)
    late = Fixture.objects.get(round__number=2, table=2).number
    page = f"{CUP}rounds/2/"
    assert not re.search(r"18:00|19:00", read(client, page).split("Table")[1])
    for at, wanted in (
        (begins + timedelta(hours=1), r"19:00\b(?! UTC)"),
        (begins + timedelta(days=1), "3 May 2030, 18:00 UTC"),
        (datetime(2030, 5, 2, tzinfo=UTC), "2 May 2030"),
    ):
        change_fixture(league_of().pk, late, {"starts_at": at}, by="arbiter")
        assert re.search(wanted, read(client, page).split("Table")[1])


def test_a_finished_competition_names_its_winner_and_gives_medals(client: Client) -> None:
    league = league_of()
    run_competition(league, SIX[:4], "knockout", rounds=2, tie_breaks=["TPN"], parameters={"third_place": "yes"})
    play_round(league, 1, (1, 0), (1, 0))
    play_round(league, 2, (1, 0), (1, 0))
    finish_competition(league.pk, "cup", by="arbiter")
    context = client.get(CUP).context
    first = context["table"].lines[0].entry
    assert [line.rank for line in context["table"].lines] == [1, 2, 3, 4]
    assert f"{first.name} wins" in read(client, CUP)
    # A bracket is not won by points.
    listed = read(client, "/leagues/club/competitions/")
    assert f"Winner: {first.name} Knock-out" in listed
    handle = first.players[0][0]
    words = read(client, f"/leagues/club/players/{handle}/")
    assert "1 competition won" in words
    assert "1 of 4" in words
    rounds = context["bracket"].rounds
    assert [one.title for one in rounds] == ["Semi-finals", "Final"]
    # The round is called the same on its page.
    assert "<h1>Semi-finals</h1>" in "".join(client.get(f"{CUP}rounds/1/").content.decode().split("\n"))
    assert [side.entry.number for match in rounds[1].matches for side in match.sides if side.won] == [first.number]
    # Each match leads to its game; all rounds are in the list of rounds, and not in a tab beside it.
    assert [match.games for one in rounds for match in one.matches] == [
        (f"/leagues/club/games/{number}/",) for number in (1, 2, 3)
    ]
    page = client.get(CUP).content.decode()
    assert 'href="/leagues/club/games/4/"' in page
    assert ("All rounds" in page, page.count(f"{CUP}cross-table/"), "By round" in page) == (True, 1, False)


def test_the_table_by_rounds_says_which_rank_an_entry_shares(client: Client) -> None:
    run_competition(league_of(), SIX, rounds=3, parameters={"first_colour": "white"}, tie_breaks=[])
    play_round(league_of(), 1, (1, 0), (1, 0), (0.5, 0.5))
    page = client.get(f"{CUP}cross-table/")
    # Two winners, two draws, two losses: cells name opponents by places, as a shared rank names nobody.
    ranks = [(1, None), (2, 1), (3, None), (4, 3), (5, None), (6, 5)]
    assert [(int(row.place), row.shared_rank) for row in page.context["rows"]] == ranks
    assert [(int(row.place), row.shared_rank) for row in page.context["cross"]] == ranks
    text = page.content.decode()
    assert text.count('title="shares rank 3"') == 2
    # Each game has both colours; the sentence below has them too.
    assert (text.count('<span class="disc white">○</span>'), text.count('<span class="disc black">●</span>')) == (4, 4)


def test_the_cross_table_has_every_meeting_from_both_sides(client: Client) -> None:
    swiss()
    rows = {row.entry.name: row for row in client.get(f"{CUP}cross-table/").context["cross"]}
    order = list(rows)
    cell = rows["Anna"].cells[order.index("Dan")]
    assert [(one.text, one.white) for one in cell] == [("1", True)]
    assert [one.text for one in rows["Dan"].cells[order.index("Anna")]] == ["0"]
    assert rows["Anna"].cells[order.index("Anna")] is None


def test_the_rules_name_points_and_tie_breaks(client: Client) -> None:
    swiss()
    words = read(client, f"{CUP}rules/")
    assert "The sum of the opponents" in words
    assert "Draw ½" in words
    assert "Buchholz (BH)" in words.replace("( BH )", "(BH)")


def test_the_wall_shows_the_pairings_and_the_bracket(client: Client) -> None:
    swiss()
    assert "Round 2 of 3" in read(client, f"{CUP}wall/")
    assert "Bracket" not in read(client, f"{CUP}wall/?show=bracket")


def test_tables_of_four_show_scores_and_points(client: Client) -> None:
    league = league_of()
    run_competition(league, SIX[:4], "tables", rounds=1, tie_breaks=["SCORE"])
    play_round(league, 1, (7, 3, 9, 3))
    (line,) = client.get(f"{CUP}rounds/1/").context["fixtures"]
    # Places 2, 3, 1 and 3; a point for each entry below, the two last share 1 and 0.
    assert [(seat.result, seat.points) for seat in line.seats] == [("7", "2"), ("3", "½"), ("9", "3"), ("3", "½")]


#: Queries of a page, whatever the size of the competition.
COSTS = {"": 13, "rounds/1/": 13, "entries/": 13, "fixtures/": 13, "cross-table/": 13, "rules/": 13, "entries/1/": 14}


def test_pages_cost_so_many_queries(client: Client, django_assert_num_queries: Any) -> None:
    swiss()
    for path, queries in COSTS.items():
        with django_assert_num_queries(queries, info=path):
            assert client.get(CUP + path).status_code == 200
