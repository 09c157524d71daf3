"""What leaves the house: feeds, calendars, pictures, frames for other sites, and what machines look for."""

import re
from datetime import timedelta
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest
from django.test import Client
from icalendar import Calendar

from league.core.games.services.record import void_game
from league.core.ladders.services.decisions import advance
from league.core.leagues.services.leagues import change_league
from league.models import Ladder, League, Membership, Player
from tests.helpers.builders import EVENING, league_of, make_league, move_club_away, record, sheet
from tests.helpers.desk_client import sign_in_member
from tests.helpers.ladder_builders import clock, close, duel, make_ladder
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
CLUB = "/leagues/club/"
ATOM = "{http://www.w3.org/2005/Atom}"


def build() -> None:
    """Make a league with March closed and two games in April, of which one is void."""
    league = make_league(description="A club of four & more.")
    make_ladder(league)
    record(league, duel("anna", "ben", "2024-03-05"))
    close(league, "2024-03")
    record(league, duel("anna", "cleo", "2024-04-05"))
    record(league, duel("ben", "cleo", "2024-04-06"))
    void_game(league.pk, 3, reason="A friendly.", username="test")


built = built_once(build)


def test_the_feed_tells_the_games_that_count_the_newest_first(client: Client) -> None:
    answer = client.get(f"{CLUB}games.atom")
    assert answer["Content-Type"].startswith("application/atom+xml")
    # RFC 4287, 4.1.1: a feed has an author, unless each of its entries has one.
    author = ElementTree.fromstring(answer.content).find("{*}author")
    assert author is not None
    assert author.findtext("{*}name")
    feed = ElementTree.fromstring(answer.content)
    titles = [entry.findtext(f"{ATOM}title") for entry in feed.iter(f"{ATOM}entry")]
    assert titles == ["Anna – Cleo 1–0", "Anna – Ben 1–0"]
    links = [link.get("href") for entry in feed.iter(f"{ATOM}entry") for link in entry.iter(f"{ATOM}link")]
    assert links == ["http://testserver/leagues/club/games/2/", "http://testserver/leagues/club/games/1/"]
    assert feed.findtext(f"{ATOM}subtitle") == "A club of four & more."


def test_a_feed_speaks_the_language_of_who_asks(client: Client) -> None:
    told = {}
    for code in ("en", "de"):
        feed = ElementTree.fromstring(client.get(f"{CLUB}games.atom", headers={"accept-language": code}).content)
        assert feed.get("{http://www.w3.org/XML/1998/namespace}lang") == code
        told[code] = next(feed.iter(f"{ATOM}entry")).findtext(f"{ATOM}summary") or ""
    assert told["en"].startswith("Friday 5 April 2024: ")
    assert told["de"].startswith("Freitag")


def test_names_and_titles_are_words_in_feeds_calendars_and_badges(client: Client) -> None:
    Player.objects.filter(handle="anna").update(name="<b>Anna</b> & Co")
    League.objects.update(title="The\x0bclub", description="Evenings\x0bat\x07 eight\nand later")
    Ladder.objects.update(title="Month\rSUMMARY:not ours")
    feed = ElementTree.fromstring(client.get(f"{CLUB}games.atom").content)
    assert feed.findtext(f"{ATOM}title") == "The club"
    assert feed.findtext(f"{ATOM}subtitle") == "Evenings at eight and later"
    summaries = [entry.find(f"{ATOM}summary") for entry in feed.iter(f"{ATOM}entry")]
    assert all(one is not None and "&lt;b&gt;Anna&lt;/b&gt; &amp; Co" in (one.text or "") for one in summaries)
    calendar = client.get(f"{CLUB}ladders.ics").content.decode()
    assert "\r\nSUMMARY:Month SUMMARY:not ours" in calendar
    assert calendar.count("\r") == calendar.count("\r\n")
    assert ElementTree.fromstring(client.get(f"{CLUB}players/anna/badge.svg").content) is not None


def test_addresses_are_those_under_which_the_site_says_it_is_found(client: Client, settings: Any) -> None:
    settings.RUNGS_ORIGIN = "https://club.example"
    assert b"https://club.example/leagues/club/games/2/" in client.get(f"{CLUB}games.atom").content
    assert b"testserver" not in client.get(f"{CLUB}games.atom").content
    assert 'rel="canonical" href="https://club.example/leagues/club/"' in client.get(CLUB).content.decode()


def test_the_calendar_holds_the_periods_on_their_days(client: Client) -> None:
    answer = client.get(f"{CLUB}ladders.ics")
    assert answer["Content-Type"].startswith("text/calendar")
    events = {str(event["uid"]): event for event in Calendar.from_ical(answer.content.decode()).walk("VEVENT")}
    march = events["month.2024-03.club@testserver"]
    assert [march.decoded("dtstart").isoformat(), march.decoded("dtend").isoformat()] == ["2024-03-01", "2024-04-01"]
    assert str(march["description"]) == "Winners: Anna."
    assert "not closed yet" in str(events["month.2024-04.club@testserver"]["description"])


def test_a_ladder_of_all_time_is_on_no_day(client: Client) -> None:
    league = move_club_away()
    make_ladder(league, cadence="all_time")
    record(league, duel("anna", "ben", "2024-03-05"))
    assert b"VEVENT" not in client.get(f"{CLUB}ladders.ics").content


def test_what_is_of_a_private_league_is_for_its_members_and_its_frames_are_for_nobody(client: Client) -> None:
    League.objects.update(visibility="private")
    rita = sign_in_member("rita", Membership.Role.RECORDER, league_of())
    for path in ("games.atom", "ladders.ics", "emblem.svg", "players/anna/badge.svg", "share/"):
        assert [one.get(f"{CLUB}{path}").status_code for one in (client, rita)] == [404, 200], path
    for path in ("", "ladders/month/", "players/anna/"):
        assert [one.get(f"/embed{CLUB}{path}").status_code for one in (client, rita)] == [404, 404], path
    assert rita.get("/oembed/", {"url": f"http://testserver{CLUB}"}).status_code == 404


@pytest.mark.parametrize(
    ("path", "title"), [("", "Club"), ("players/anna/", "Anna in Club"), ("ladders/month/", "Month, Club")]
)
def test_frames_may_stand_on_other_sites_and_pages_that_have_one_offer_it_by_oembed(
    client: Client, path: str, title: str
) -> None:
    frame, page = client.get(f"/embed{CLUB}{path}"), client.get(f"{CLUB}{path}")
    assert (frame.status_code, page.status_code) == (200, 200)
    assert "X-Frame-Options" not in frame
    assert "frame-ancestors *" in frame["Content-Security-Policy"]
    assert "default-src 'self'" in frame["Content-Security-Policy"]
    assert page["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"]
    assert 'target="_top"' in frame.content.decode()
    (address,) = re.findall(r'json\+oembed"[^>]*href="([^"]*)"', page.content.decode())
    said = client.get(f"{address.replace('&amp;', '&')}&maxwidth=300").json()
    assert (said["type"], said["version"], said["width"], said["height"]) == ("rich", "1.0", 300, 420)
    assert said["title"].startswith(title)
    assert f'src="http://testserver/embed{CLUB}{path}"' in said["html"]
    assert "json+oembed" not in client.get(f"{CLUB}games/").content.decode()


def test_a_frame_shows_as_many_rows_as_are_asked_for_in_a_theme(client: Client) -> None:
    for asked, rows in (("1", 1), ("2", 2), ("0", 1), ("99999", 3), ("-1", 3), ("x", 3), ("²", 3)):
        page = client.get("/embed/leagues/club/", {"rows": asked}).content.decode()
        assert page.count('<th scope="row">') == rows, asked
    assert "theme-dark" in client.get("/embed/leagues/club/?theme=dark").content.decode()
    assert "theme-" not in client.get("/embed/leagues/club/?theme=%22%3E").content.decode()


def test_a_frame_that_is_asked_for_too_many_rows_shows_as_many_as_it_may(client: Client) -> None:
    pairs = [(f"a{number}", f"b{number}") for number in range(26)]
    league = make_league(players=[handle for pair in pairs for handle in pair], slug="many")
    for pair in pairs:
        record(league, sheet(pair, (1, 0)))
    for asked, rows in (("51", 50), ("999", 50), ("1000", 50), ("9" * 100, 50), ("", 10), ("9" * 101, 10)):
        page = client.get("/embed/leagues/many/", {"rows": asked}).content.decode()
        assert page.count('<th scope="row">') == rows, asked


def test_a_frame_draws_the_latest_games_of_each_player_from_five_on(client: Client) -> None:
    league = make_league(players=["anna", "ben"], slug="pair")
    for number in range(4):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=number))
    assert 'class="spark"' not in client.get("/embed/leagues/pair/").content.decode()
    record(league, sheet(("anna", "ben"), (1, 0), minutes=4))
    page = client.get("/embed/leagues/pair/").content.decode()
    assert page.count('class="spark"') == 2
    assert page.count("<title>Last 5 games: ") == 2


def test_a_frame_shows_the_provisional_players_of_a_new_club_below_those_on_the_board(client: Client) -> None:
    league = move_club_away(min_games=2)
    record(league, sheet(("anna", "ben"), (1, 0)))
    page = client.get("/embed/leagues/club/").content.decode()
    assert "The board is empty." not in page
    assert page.count("provisional, 1 of 2") == 2
    record(league, sheet(("anna", "cleo"), (1, 0), minutes=5))
    page = client.get("/embed/leagues/club/").content.decode()
    assert page.index("Anna") < page.index("Cleo")
    assert page.count("provisional, 1 of 2") == 2
    assert "Cleo" not in client.get("/embed/leagues/club/?rows=1").content.decode()


def test_frames_of_empty_leagues_say_so(client: Client) -> None:
    make_ladder(move_club_away())
    assert "The board is empty." in client.get("/embed/leagues/club/").content.decode()
    assert "No player is ranked yet." in client.get("/embed/leagues/club/ladders/month/").content.decode()
    for path in ("/embed/leagues/none/", "/embed/leagues/club/ladders/none/", "/embed/leagues/club/players/dan/"):
        assert client.get(path).status_code == 404


def test_a_frame_of_a_ladder_shows_the_period_before_until_somebody_is_ranked(client: Client) -> None:
    league = league_of()
    with clock(EVENING + timedelta(days=60)):
        advance(league.pk)
        page = client.get("/embed/leagues/club/ladders/month/").content.decode()
    assert "Month, April 2024" in page
    assert "Anna" in page


def test_a_badge_says_where_a_player_stands(client: Client) -> None:
    Player.objects.filter(handle="anna").update(name='Anna <&"')
    League.objects.update(title="The very long name of a club that goes on and on")
    answer = client.get(f"{CLUB}players/anna/badge.svg")
    assert answer["Content-Type"] == "image/svg+xml"
    drawn = ElementTree.fromstring(answer.content)
    words = [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert words[0] == "The very long name of a club that goes…"
    assert words[1] is not None
    assert words[1].endswith("· #1")
    assert 'Anna <&"' in drawn.findtext("{http://www.w3.org/2000/svg}title", "")
    assert client.get(f"{CLUB}players/nobody/badge.svg").status_code == 404


def test_the_emblem_has_its_colours_in_it(client: Client) -> None:
    answer = client.get(f"{CLUB}emblem.svg")
    assert ElementTree.fromstring(answer.content).tag.endswith("svg")
    assert re.search(rb'fill="#[0-9a-f]{6}"', answer.content)
    assert b"oklch" not in answer.content + client.get(f"{CLUB}players/anna/badge.svg").content
    assert f'href="{CLUB}emblem.svg"' in client.get(CLUB).content.decode()


def test_the_lines_to_copy_lead_to_frames_in_the_language_that_was_chosen(client: Client) -> None:
    page = client.get(f"{CLUB}share/")
    choices = re.findall(r'href="(\?frame=[^"#]+)#frames"', page.content.decode())
    assert choices == ["?frame=board", "?frame=ladder-month"]
    for choice, path in zip(choices, ("/embed/leagues/club/", "/embed/leagues/club/ladders/month/"), strict=True):
        chosen = client.get(f"{CLUB}share/{choice}").content.decode()
        assert re.findall(r">&lt;iframe src=&quot;http://testserver([^&]+)&quot;", chosen) == [path]
        assert re.findall(r'<iframe src="([^"]+)"', chosen) == [path]
        assert client.get(path).status_code == 200
    assert "This league is private" not in page.content.decode()
    assert (
        'href="http://testserver/leagues/club/?table=board&amp;format=csv">Leaderboard as CSV</a>'
        in page.content.decode()
    )
    assert 'href="http://testserver/api/v1/leagues/club/export/?format=csv">Games as CSV</a>' in page.content.decode()
    assert 'data-line="http://testserver/leagues/club/"' in page.content.decode(), "the link to the board, to copy"
    for part in ("board", "race", "games"):
        assert client.get(f"{CLUB}wall/?only={part}").status_code == 200
        assert f'href="{CLUB}wall/?only={part}"' in page.content.decode()
    german = client.get(f"{CLUB}share/?speak=de").content.decode()
    assert '<option value="de" lang="de" selected>Deutsch</option>' in german
    assert "embed/leagues/club/?lang=de&quot; title" in german
    for path in ("wall/", "games.atom", "ladders.ics"):
        assert f"/leagues/club/{path}?lang=de" in german
    assert "badge.svg?lang=de</code>" in german
    assert 'emblem.svg">' in german, "a picture without words is the same for all"
    assert '<html lang="en"' in german, "the page itself is read on in the reader's own"
    assert "lang=xx" not in client.get(f"{CLUB}share/?speak=xx").content.decode()


def test_the_box_has_the_line_of_the_chosen_frame_with_its_options(client: Client) -> None:
    def boxed(query: str) -> str:
        page = client.get(f"{CLUB}share/{query}").content.decode()
        (box,) = re.findall(r'<textarea id="code"[^>]*>&lt;iframe src=&quot;http://testserver(.*?)&quot; title', page)
        return str(box)

    assert boxed("") == boxed("?frame=nowhere") == "/embed/leagues/club/"
    assert boxed("?frame=ladder-month") == "/embed/leagues/club/ladders/month/"
    chosen = "?frame=ladder-month&rows=20&theme=dark&speak=de"
    assert boxed(chosen) == "/embed/leagues/club/ladders/month/?rows=20&amp;amp;theme=dark&amp;amp;lang=de"
    assert boxed("?theme=pink&rows=") == "/embed/leagues/club/?rows=10"


def test_pictures_to_post_are_shown_in_both_formats(client: Client) -> None:
    page = client.get(f"{CLUB}share/?speak=de").content.decode()
    shown = re.findall(r'<img src="([^"]+)"', page)
    assert shown == [f"{CLUB}card.png?lang=de", f"{CLUB}players/anna/card.png?lang=de&amp;format=story"]
    assert f'data-line="http://testserver{CLUB}players/anna/card.png?lang=de&amp;format=story"' in page
    assert 'download="anna-story.png"' in page
    change_league(League.objects.get(slug="club").pk, {"visibility": "private"})
    assert "card.png" not in client.get(f"{CLUB}share/").content.decode()


def test_oembed_refuses_what_has_no_frame(client: Client) -> None:
    here = f"http://testserver{CLUB}"
    for asked, status in (
        ({"url": "http://testserver/leagues/none/"}, 404),
        ({"url": "http://elsewhere.example/leagues/club/"}, 404),
        ({"url": "http://testserver/status/"}, 404),
        ({"url": "http://[::1"}, 404),
        ({}, 404),
        ({"url": here, "format": "xml"}, 501),
        ({"url": here, "maxwidth": "-9", "maxheight": "²"}, 200),
    ):
        assert client.get("/oembed/", asked).status_code == status, asked


def test_the_map_of_the_site_holds_what_is_public(client: Client, settings: Any) -> None:
    make_ladder(make_league(slug="secret", visibility="private"))
    index = client.get("/sitemap.xml").content.decode()
    parts = re.findall(r"<loc>http://testserver(/sitemap-\w+\.xml)</loc>", index)
    assert parts == ["/sitemap-leagues.xml", "/sitemap-ladders.xml"]
    found = [
        path
        for part in parts
        for path in re.findall(r"<loc>http://testserver([^<]+)</loc>", client.get(part).content.decode())
    ]
    assert found == [CLUB, f"{CLUB}ladders/month/"]
    settings.RUNGS_ORIGIN = "https://club.example"
    assert "<loc>https://club.example/sitemap-ladders.xml</loc>" in client.get("/sitemap.xml").content.decode()
    assert f"<loc>https://club.example{CLUB}</loc>" in client.get("/sitemap-leagues.xml").content.decode()
    settings.RUNGS_ORIGIN = ""
    robots = client.get("/robots.txt").content.decode()
    assert "Sitemap: http://testserver/sitemap.xml" in robots
    assert "Disallow: /admin/" in robots
    assert "Allow: /*/card.png" in robots


@long_way
def test_a_page_has_one_address(client: Client) -> None:
    league = league_of()
    for minute in range(50):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=minute))
    anna = f"{CLUB}players/anna/"
    for asked, canonical in (("?range=100", ""), ("?page=2", "?page=2"), ("?page=1", ""), ("?page=x", "")):
        page = client.get(f"{anna}{asked}").content.decode()
        assert f'<link rel="canonical" href="http://testserver{anna}{canonical}">' in page
    # Games have no pages of this kind.
    for asked in ("", "?q=x", "?page=2"):
        page = client.get(f"{CLUB}games/{asked}").content.decode()
        assert f'<link rel="canonical" href="http://testserver{CLUB}games/">' in page


@pytest.mark.parametrize(("players", "rows", "least"), [(3, 10, 0), (12, 10, 604), (14, 14, 791), (30, 5, 370)])
def test_a_frame_has_room_for_its_rows(client: Client, players: int, rows: int, least: int) -> None:
    """The heights that Chromium needs at a width of 480 pixels."""
    names = [f"p{number}" for number in range(players)]
    league = make_league(players=tuple(names), slug="large")
    for one, other in pairwise([*names, names[0]]):
        record(league, sheet((one, other), (1, 0)))
    page = client.get("/leagues/large/share/", {"rows": rows}).content.decode()
    (height,) = {int(found) for found in re.findall(r"height=&quot;(\d+)&quot;", page)}
    assert max(least, 420) <= height <= max(least, 420) + 60
