"""The pages of seasons: an organiser founds boxes at the desk, enters people, moves one, draws, closes and renews."""

import hashlib
import re
from datetime import UTC, date, datetime
from fractions import Fraction
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from league.apps.competitions.models import Competition, Season, SeasonEntry, SeasonPart
from league.apps.competitions.organiser.panels import list_next_games
from league.apps.competitions.organiser.season_steps import suggest_next_title
from league.apps.competitions.public.additions import show_player_section
from league.apps.competitions.public.season_lines import build_series
from league.apps.competitions.public.season_link_table import find_season_table
from league.apps.competitions.public.season_words import _describe_event_days, describe_series_rule, find_next_event
from league.apps.competitions.public.wall import build_wall_pages
from league.apps.notices.models import Notice
from league.apps.notices.services.render import render_notice
from league.core.verify.run import verify_league
from league.models import League, Player
from ratings.seasons.rules import SeriesRule
from ratings.seasons.series import EventScore, SeriesRow
from tests.helpers.api_client import Api
from tests.helpers.builders import league_of, make_league
from tests.helpers.desk_client import page_text, sign_in_member
from tests.helpers.notice_builders import told
from tests.helpers.season_steps import COMPETITIONS, accept, play_all
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
PLAYERS = [f"p{number:02}" for number in range(1, 9)]


def build() -> None:
    """Write a league of eight players without games."""
    make_league("elo", PLAYERS)


built = built_once(build)
DIVISIONS = {"divisions": {"target_size": 4, "up": {"number": 1}, "unplayed": "void"}}
SEASON, PUBLIC = "leagues/club/seasons/season/", "/leagues/club/seasons/season/"


def read(path: str, client: Any = None) -> str:
    """Return a page with single spaces."""
    answer = (client or Client()).get(path)
    assert answer.status_code == 200, path
    return " ".join(answer.content.decode().split())


def found(rule: Any, players: list[str] | None = None, **settings: Any) -> Api:
    """Found a season whose players have ratings in their order; return the API."""
    api = Api("organise")
    body = {"title": "Season", "slug": "season", "status": "open", "rule": rule, **settings}
    accept(api.post("leagues/club/seasons/", body))
    entries = [{"player": player, "rating": 2000 - at} for at, player in enumerate(players or PLAYERS)]
    accept(api.post(f"{SEASON}entries/", {"entries": entries}))
    return api


def draw(api: Api) -> list[str]:
    """Draw what is proposed; return the slugs of the competitions."""
    digest = accept(api.get(f"{SEASON}proposal/"), 200)["digest"]
    return [one["slug"] for one in accept(api.post(f"{SEASON}draw/", {"digest": digest}))["competitions"]]


def play(api: Api, slug: str, *won: tuple[str, str]) -> None:
    """Record games of a competition; the first of each pair wins."""
    for fixture in api.get(f"{COMPETITIONS}{slug}/fixtures/?status=planned").data["results"]:
        names = tuple(players[0] for players in fixture["players"])
        for winner, loser in won:
            if {winner, loser} == {*names}:
                results = [{"score": int(name == winner)} for name in names]
                accept(api.post(f"{COMPETITIONS}{slug}/fixtures/{fixture['id']}/result/", {"results": results}))


@long_way
def test_boxes_from_founding_to_the_next_month() -> None:
    """Each step is a form of the page; the public page shows the zones in words."""
    desk: Any = sign_in_member("olga", "organiser", league_of())
    form = {
        "title": "Boxes", "preset": "boxes", "size": 4, "moving": 1, "events": 12, "best": 8,
        "starts": "2099-03-01", "ends": "2099-03-31",
    }  # fmt: skip
    created = desk.post("/admin/leagues/club/seasons/+new/", form)
    assert created.status_code == 302, created.content.decode()
    page = created["Location"]
    assert desk.post(page, {"step": "enter", "players": "\n".join(PLAYERS)}).status_code == 302
    shown = desk.get(page).content.decode()
    assert "Division 2" in shown and "New in this season" in shown
    assert desk.post(page, {"step": "move", "player": "p08", "to": "1", "reason": "A wish."}).status_code == 302
    assert "Moved by hand: A wish." in desk.get(page).content.decode()
    digest = desk.get(page).context["proposal"].digest
    desk.post(page, {"step": "draw", "digest": digest})
    # A division of five has ten games, one of three has three. What ends them early is folded, and says so.
    early = re.search(r"<details\s*(open)?\s*>\s*<summary id=\"close\">", desk.get(page).content.decode())
    assert early and not early[1]
    assert "Close the season without 13 results" in page_text(desk.get(page))
    season = Season.objects.get()
    slugs = [part.competition.slug for part in season.parts.order_by("level")]
    api = Api("organise")
    for slug in slugs:
        play_all(api, slug)
    assert "Close the season without" not in page_text(desk.get(page))
    public = Client().get("/leagues/club/seasons/boxes/").content.decode()
    assert "rises" in public and "falls" in public and "Run this season" not in public
    card = "/leagues/club/seasons/boxes/card.png"
    assert f'property="og:image" content="http://testserver{card}"' in public
    assert Client().get(card)["Content-Type"] == "image/png"
    picture = find_season_table(league_of(), "boxes")()
    assert (picture.title, [row[0] for row in picture.rows], picture.is_ranking) == ("Boxes", [1, 2, 3], False)
    desk.post(page, {"step": "close", "unplayed": ""})
    season.refresh_from_db()
    assert season.status == "closed"
    renewed = desk.post(page, {"step": "renew", "title": "Boxes, April"})
    following = Season.objects.get(previous=season)
    assert renewed["Location"].endswith(f"/{following.slug}/")
    assert (str(following.starts), str(following.ends), following.entries.count()) == ("2099-04-01", "2099-04-30", 8)
    assert verify_league(league_of().pk).state == "is right"


def test_lists_show_seasons() -> None:
    """The league's tab and both lists."""
    desk: Any = sign_in_member("olga", "organiser", league_of())
    desk.post("/admin/leagues/club/seasons/+new/", {
        "title": "Prix", "preset": "series", "size": 4, "moving": 1, "events": 3, "best": 2,
    })  # fmt: skip
    assert "Prix" in desk.get("/admin/leagues/club/competitions/").content.decode()
    listed = Client().get("/leagues/club/competitions/").content.decode()
    assert "/leagues/club/seasons/prix/" in listed
    page = read("/leagues/club/seasons/prix/")
    assert "The best 2 of 3 events of each player count." in page and "No event has been finished yet." in page
    assert "After 0 of 3 events. The best 2 of 3 count. Event 1: no date yet." in page


def test_wrong_answers_are_shown_at_their_fields() -> None:
    """More rise than a box has members; an unknown season is 404."""
    desk: Any = sign_in_member("olga", "organiser", league_of())
    answer = desk.post("/admin/leagues/club/seasons/+new/", {
        "title": "Boxes", "preset": "boxes", "size": 4, "moving": 3, "events": 12, "best": 8,
    })  # fmt: skip
    assert "3 rise and 3 fall, but a division has 4 members." in answer.content.decode()
    assert Client().get("/leagues/club/seasons/never/").status_code == 404


@long_way
def test_what_can_still_happen_is_said_of_each_player() -> None:
    """The example of four players with 2, 1, 0 and 0 wins and three open games; by hand, over all 27 outcomes."""
    api = found(DIVISIONS)
    first, second = draw(api)
    play(api, second, ("p05", "p06"), ("p05", "p07"), ("p06", "p07"))
    page = read(PUBLIC)
    # Nothing was played in the first division.
    assert "P01 is" not in page and "would be champion" not in page
    for sentence in (
        "P05 can still rise. A win is enough to rise.",
        "P06 can still rise.</li>",
        "P07 stays, whatever happens.",
        "P08 can still rise. Winning all remaining games is enough to rise.",
        "1–3 possible", "2–4 possible", "would rise",
    ):  # fmt: skip
        assert sentence in page, sentence
    # P08 can win or lose all three games: every rank, which is shown, as that of others is narrower.
    assert "1–4 possible" in page[page.index(">P08<") :]
    play_all(api, second)
    page = read(PUBLIC)
    assert "P05 rises" not in page and "All is decided: nobody can change zone any more." in page
    assert "<b>rises</b>" in page
    play(api, first, ("p01", "p02"), ("p01", "p03"), ("p02", "p03"), ("p02", "p04"))
    # p01–p04 and p03–p04 are open: p01 and p02 have 2, the others none. If p04 wins both, three have 2.
    page = read(PUBLIC)
    for sentence in (
        "P01 is safe and can still become champion. ½ point more is enough for the title.",
        "P02 is safe and can still become champion.",
        "P03 can stay or fall.",
        "P04 can still become champion, and can still fall. 1.5 points more are enough to stay.",
    ):
        assert sentence in page, sentence
    # The number stays in the line of its unit.
    assert "1.5\N{NO-BREAK SPACE}points more" in Client().get(PUBLIC).content.decode()
    # Who meets whom next; the other division is over. P01 has beaten P02, who has as many points.
    (upcoming,) = re.findall(r"<b>Next fixtures</b>(.*?)</p>", page)
    assert upcoming.count(" – ") == 2
    assert {*re.findall(r">(P\d\d)<", upcoming)} == {"P01", "P03", "P04"}
    assert "<span>by direct encounter</span>" in page[page.index(">P01<") : page.index(">P02<")]
    assert "the first is champion · 1 falls" in page and "1 rises · nobody falls" in page
    # Of three games P01 has played two; nobody of the other division has one to come.
    assert "2 of 3" in page[page.index(">P01<") : page.index(">P02<")] and "of 3" not in page[page.index(">P05<") :]


def test_a_season_costs_the_same_queries_for_many_divisions(django_assert_num_queries: Any) -> None:
    """Two boxes, and four."""
    api = Api("organise")
    for slug, size in (("season", 4), ("boxes", 2)):
        rule = {"divisions": {"target_size": size, "smallest": 2, "up": {"number": 1}}}
        address = f"leagues/club/seasons/{slug}/"
        accept(api.post("leagues/club/seasons/", {"title": slug, "slug": slug, "status": "open", "rule": rule}))
        accept(api.post(f"{address}entries/", {"entries": [{"player": name} for name in PLAYERS]}))
        digest = accept(api.get(f"{address}proposal/"), 200)["digest"]
        made = accept(api.post(f"{address}draw/", {"digest": digest}))["competitions"]
        assert len(made) == 8 // size
        with django_assert_num_queries(16):
            read(f"/{address}")
    assert "Division 2: place" in (own := str(show_player_section(league_of(), Player.objects.get(handle="p08"))))
    assert "Division 4: place" in own


@long_way
def test_competitions_stand_under_their_season() -> None:
    """On the list, the board and the first page; the division names its season."""
    api = found(DIVISIONS)
    first, second = draw(api)
    at_desk = read("/admin/leagues/club/competitions/", sign_in_member("olga", "organiser", league_of()))
    assert "/seasons/season/" in at_desk and first not in at_desk
    listed = read("/leagues/club/competitions/")
    assert "2 competitions, 0 finished" in listed and "8 players" in listed
    assert ">Division 1</h3>" not in listed
    # The score pad has the upper division first, each by table.
    assert [(game.event, game.label) for game in list_next_games(league_of())] == [
        (f"Season: Division {number}", f"Table {table}") for number in (1, 2) for table in (1, 2)
    ]
    assert list_next_games(league_of())[0].place == "Season: Division 1 · Round 1 · Table 1"
    board = read("/leagues/club/")
    assert f'<a href="{PUBLIC}">Season</a>' in board and first not in board
    assert f'<a href="{PUBLIC}">Season: running</a>' in read("/?all")
    overview = read("/admin/leagues/club/", sign_in_member("otto", "organiser", league_of()))
    line = overview[overview.index('<ul class="partlinks') :]
    parts = re.findall(r'/competitions/([\w-]+)/"\s*>([^<]+)</a>', line[: line.index("</ul>")])
    assert parts == [(first, "Division 1"), (second, "Division 2")]
    division = read(f"/leagues/club/competitions/{first}/")
    assert f'<a href="{PUBLIC}">Season</a>' in division
    play_all(api, first)
    screen = " ".join(build_wall_pages(league_of(), timezone.now()).split())
    assert 'data-page="divisions"' in screen and '<tr class="z-down">' in screen and "Division 2" in screen
    own = read("/leagues/club/players/p02/")
    assert "Division 1: place 2 of 4, stays." in own and f'href="{PUBLIC}#d1"' in own


@long_way
def test_a_series_has_a_column_for_each_event() -> None:
    """An event is linked at the desk and taken out again; who is in the table, and who can still win."""
    rule = {"series": {"points": {"table": [5, 2, 1]}, "best": 1, "of": 2}}
    api = found(rule, PLAYERS[:3])
    for slug in ("one", "two"):
        accept(
            api.post(
                COMPETITIONS, {"slug": slug, "title": f"Evening {slug}", "format": "round_robin", "status": "open"}
            )
        )
        accept(api.post(f"{COMPETITIONS}{slug}/entries/", [{"player": player} for player in PLAYERS[:3]]))
        accept(api.post(f"{COMPETITIONS}{slug}/start/", {}), 200)
    desk: Any = sign_in_member("olga", "organiser", league_of())
    page = "/admin/leagues/club/seasons/season/"
    for slug, event in (("one", "1"), ("two", "2"), ("two", "")):
        desk.post(page, {"step": "link", "competition": slug, "event": event})
    assert "Evening one" in read(page, desk) and "Close the season" in read(page, desk)
    play_all(api, "one")
    accept(api.post(f"{COMPETITIONS}one/finish/", {}), 200)
    shown = read(PUBLIC)
    assert ">Evening one</a></th>" in shown and ">Evening two</a></th>" not in shown
    # On phones the points of the events stand below the name.
    assert re.search(r'class="brief">,\s*points by event</span>', shown)
    assert re.findall(r"<small>1:</small>\s*([\d.]+)<", shown) == ["5", "2", "1"]
    assert shown.count('<span class="brief soft"><span>') == 3
    assert "After 1 of 2 events." in shown
    assert "The best 1 of 2 events of each player count. Others are in brackets." in shown
    assert "P01 leads." in shown and "1 of 2 events played" in shown
    # Between two events nothing runs: how many were played is said, and who won each.
    listed = read("/leagues/club/competitions/")
    assert "1 of 2 events played" in listed and "Event 2: no date yet." in listed
    assert "Winner: P01, 2 points" in listed
    # The weakest counting event is replaced: three points more need an event of five.
    assert "P02 can still win: first place in event 2 reaches the leader’s points." in shown


def test_a_series_says_what_decides_equal_totals_and_what_shared_places_get() -> None:
    people = {name: Player(handle=name, name=name) for name in ("anna", "ben", "cleo")}
    rows = [
        SeriesRow(rank, name, Fraction(7), (), 0, None, False, Fraction(), decided)
        for rank, (name, decided) in enumerate(zip(people, ("firsts", "last_event", ""), strict=True), 1)
    ]
    shown = build_series(League(slug="club"), rows, people, [])
    assert [row.decided for row in shown] == ["ahead by events won", "ahead by the last event", ""]
    sharing = "Players who share a place get the average of the points of their places."
    assert sharing in describe_series_rule(SeriesRule(points={"table": [5, 2, 1]}, of=2))
    # There everyone has points of the competition.
    assert sharing not in describe_series_rule(SeriesRule(points={"by": "competition_points"}, of=2))


def test_a_column_of_a_series_has_one_number_of_decimals() -> None:
    people = {name: Player(handle=name, name=name) for name in ("anna", "ben")}
    points = {"anna": [Fraction(10), Fraction(4)], "ben": [Fraction(3, 4), Fraction(2)]}
    events = {name: tuple(EventScore(at, 1, one, True) for at, one in enumerate(points[name], 1)) for name in points}
    rows = [
        SeriesRow(rank, name, sum(points[name], Fraction()), events[name], 0, None, False, Fraction())
        for rank, name in enumerate(points, 1)
    ]
    shown = build_series(League(slug="club"), rows, people, [1, 2])
    assert [[score.text for score in row.scores] for row in shown] == [["10.00", "4"], ["0.75", "2"]]
    assert [row.points for row in shown] == ["14.00", "2.75"]


@long_way
def test_groups_lead_to_seats_of_a_cup() -> None:
    """The seats are named by group and place before they are known, and a bye where a group is too small."""
    stages = [
        {"key": "groups", "title": "Groups", "parallel": 2},
        {"key": "cup", "title": "Cup", "format": "knockout", "from": [{"stage": "groups", "places": [1, 2, 3, 4]}]},
    ]
    api = found({"stages": stages}, PLAYERS[:7])
    groups = draw(api)
    page = read(PUBLIC)
    assert "Can be drawn when these have ended: Group A, Group B." in page and "not known yet" in page
    # Dealt there and back: A has p01, p04, p05; B has p02, p03, p06, p07.
    play_all(api, groups[0])
    accept(api.post(f"{COMPETITIONS}{groups[0]}/finish/", {}), 200)
    page = read(PUBLIC)
    assert "Can be drawn when these have ended: Group B." in page
    assert '<b class="num source">A1</b> <a href="/leagues/club/players/p01/">P01</a>' in page
    assert ">A4<" not in page and ">B4<" in page and "bye" in page
    assert "<b>to: Cup</b>" in page


@long_way
def test_the_desk_finishes_groups_that_are_played_and_draws_lots_between_equals() -> None:
    """Three who beat one another in turn are not certain of a seat; the lots follow from the edition of the group."""
    stages = [
        {"key": "groups", "title": "Groups", "parallel": 2},
        {"key": "cup", "title": "Cup", "format": "knockout", "from": [{"stage": "groups", "places": [1]}]},
    ]
    api = found({"stages": stages}, PLAYERS[:6])
    groups = draw(api)
    desk: Any = sign_in_member("olga", "organiser", league_of())
    page = "/admin/leagues/club/seasons/season/"
    assert "6 games are to be played before this can be drawn: Cup." in read(page, desk)
    assert read(f"/admin/leagues/club/competitions/{groups[0]}/", desk).count(f'href="{page}"') == 1
    # Dealt there and back: A has p01, p04, p05; B has p02, p03, p06.
    play(api, groups[0], ("p01", "p04"), ("p04", "p05"), ("p05", "p01"))
    play_all(api, groups[1])
    assert read(PUBLIC).count("would go to: Cup") == 1
    assert "All games are played. Finish these competitions: their places lead to: Cup." in read(page, desk)
    desk.post(page, {"step": "finish"})
    seats = accept(api.get(f"{SEASON}standings/"), 200)["stages"][1]["seats"]
    digest = accept(api.get(f"{COMPETITIONS}{groups[0]}/editions/"), 200)["results"][0]["sha256"]
    rows = accept(api.get(f"{COMPETITIONS}{groups[0]}/standings/"), 200)["results"]
    people = {1: "p01", 2: "p04", 3: "p05"}
    assert {row["entry"]["number"]: row["rank"] for row in rows} == dict.fromkeys(people, 1)
    first = min(rows, key=lambda row: hashlib.sha256(f"{digest}\n{row['entry']['number']}".encode()).hexdigest())
    assert [seat["player"] for seat in seats] == [people[first["entry"]["number"]], "p02"]
    assert ">Draw<" in read(page, desk).replace("> Draw <", ">Draw<")
    draw(api)
    assert "its next round can be paired" in read(page, desk)
    again = desk.post(page, {"step": "finish"})
    assert "No competition of the season is played to the end." in again.content.decode()


@long_way
def test_the_desk_starts_the_events_of_a_series_one_after_another() -> None:
    """The first is founded as any competition is; the next has its settings, and the entries of the season."""
    api = found({"series": {"best": 1, "of": 2}}, PLAYERS[:3])
    desk: Any = sign_in_member("olga", "organiser", league_of())
    page, founding = "/admin/leagues/club/seasons/season/", "/admin/leagues/club/competitions/+new/?series=season"
    assert founding.replace("&", "&amp;") in read(page, desk)
    assert 'value="Season, event 1"' in read(founding, desk)
    early = desk.post(page, {"step": "event"})
    assert "There is no event yet that the next one could be like." in early.content.decode()
    made = desk.post(
        founding, {"title": "Season, event 1", "template": "round_robin", "rated": "no", "turns": "double"}
    )
    assert made.status_code == 302, made.content.decode()
    assert "Start event 2" in read(page, desk)
    one = f"{COMPETITIONS}season-event-1/"
    accept(api.post(f"{one}entries/", [{"player": player} for player in PLAYERS[:4]]))
    assert accept(api.post(f"{one}start/", {}), 200)["rounds"] == 6
    made = desk.post(page, {"step": "event"})
    assert made["Location"] == "/admin/leagues/club/competitions/season-2/entries/"
    first, second = Competition.objects.order_by("created_at", "pk")
    assert (second.title, second.rated, second.parameters) == ("Season, event 2", False, first.parameters)
    assert (first.rounds, second.rounds) == (6, None)
    assert [part.event for part in SeasonPart.objects.order_by("event")] == [1, 2]
    assert second.entries.count() == 3 and verify_league(league_of().pk).state == "is right"
    full = desk.post(page, {"step": "event"})
    assert "The series has all its events." in full.content.decode()


@pytest.mark.parametrize(
    ("title", "wanted"),
    [
        ("Boxes January 2027", "Boxes February 2027"),
        ("Boxes January", "Boxes February"),
        ("Boxes", "Boxes, February 2027"),
    ],
)
def test_the_next_season_has_the_name_of_the_next_month(title: str, wanted: str) -> None:
    season = Season(title=title, starts=date(2027, 1, 1), ends=date(2027, 1, 31))
    assert suggest_next_title(season) == wanted
    assert suggest_next_title(Season(title=title, starts=date(2027, 1, 2), ends=date(2027, 1, 31))) == ""


@long_way
def test_the_desk_keeps_what_was_typed_and_takes_a_move_back() -> None:
    """An unknown name enters nobody; a move is undone; a number that was left out is the usual one."""
    desk: Any = sign_in_member("olga", "organiser", league_of())
    created = desk.post(
        "/admin/leagues/club/seasons/+new/", {"title": "Cup of groups", "preset": "groups", "groups": 2}
    )
    season = Season.objects.get()
    stages = season.rule["stages"]
    assert [(one["key"], one["parallel"]) for one in stages] == [("groups", 2), ("cup", 1), ("plate", 1)]
    assert stages[2]["from"][0]["places"] == [3, 4, 5, 6]
    refused = desk.post(created["Location"], {"step": "enter", "players": "p01\nWaldo Nobody"})
    assert refused.status_code == 200 and season.entries.count() == 0
    assert "p01\nWaldo Nobody</textarea>" in refused.content.decode()
    found(DIVISIONS)
    page = "/admin/leagues/club/seasons/season/"
    moved = desk.post(page, {"step": "move", "player": "p01", "to": "2", "reason": "Injured."})
    assert moved["Location"] == f"{page}#proposal" and "Moved by hand: Injured." in read(page, desk)
    entry = SeasonEntry.objects.get(player__handle="p08")
    desk.post(page, {"step": "withdraw", "entry": entry.number})
    assert "P08 <small" in read(page, desk) and "Enter again" in read(page, desk)
    desk.post(page, {"step": "return", "entry": entry.number})
    assert "Enter again" not in read(page, desk)
    desk.post(page, {"step": "move", "player": "p01", "to": ""})
    assert "Moved by hand" not in read(page, desk)
    assert '<option value="p08" selected' in read(f"{page}?move=p08", desk)


@long_way
def test_a_season_is_in_the_calendar_and_its_end_is_news() -> None:
    """All of its days are one event; the edition is announced once, and its divisions are not."""
    first_day, last_day = date(2099, 3, 1), date(2099, 3, 31)
    api = found(DIVISIONS, starts=str(first_day), ends=str(last_day))
    slugs = draw(api)
    # Both divisions, of three rounds each, are one notice.
    assert told(league_of(), timezone.now()) == [("notice.round_published", "season/season/drawn")]
    notice = Notice.objects.get()
    assert render_notice(notice, league_of()).title == "Club: Season, pairings of rounds 1 to 3"
    assert len((notice.facts or {})["fixtures"]) == 4
    calendar = Client().get("/leagues/club/ladders.ics").content.decode()
    assert "DTSTART;VALUE=DATE:20990301" in calendar and "DTEND;VALUE=DATE:20990401" in calendar
    for slug in slugs:
        play_all(api, slug)
    accept(api.post(f"{SEASON}close/", {}))
    subjects = [subject for kind, subject in told(league_of(), timezone.now()) if kind.endswith("final_standings")]
    assert subjects == ["season/season/1"]
    words = render_notice(Notice.objects.get(subject="season/season/1"), league_of())
    assert words.title == "Club: Season is finished" and "1. P01 3" in words.text.split("\n")


def event(status: str, day: int | None) -> Competition:
    starts_at = None if day is None else datetime(2030, 3, day, 22, 30, tzinfo=UTC)
    return Competition(slug=f"{status}-{day}", status=status, starts_at=starts_at, time_zone="Europe/Berlin")


def test_a_series_names_its_days_and_its_next_event() -> None:
    events = [event("running", None), event("finished", 1), event("open", 20), event("running", 9), event("draft", 5)]
    found = find_next_event(events)
    assert found
    assert found.slug == "running-9"
    assert find_next_event(events[:2]) is None
    assert _describe_event_days(events) == "1–20 March 2030"
    assert _describe_event_days(events[1:2]) == "1 March 2030"
    assert _describe_event_days([*events[:1], events[4]]) == ""


def test_only_who_does_not_lead_is_said_to_be_able_to_win_a_series_once_others_cannot() -> None:
    people = {name: Player(handle=name, name=name) for name in ("anna", "ben", "cleo")}
    rows = [
        SeriesRow(rank, name, Fraction(9 - rank), (), 0, None, can_still_win, Fraction())
        for rank, (name, can_still_win) in enumerate(zip(people, (True, True, False), strict=True), 1)
    ]
    assert [row.can_win for row in build_series(League(slug="club"), rows, people, [])] == [False, True, False]
    assert [row.can_win for row in build_series(League(slug="club"), rows[:2], people, [])] == [False, False]
