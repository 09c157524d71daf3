"""No page, feed, message or picture of a league of two shows places in a game: all of them are read."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from league.apps.notices.models import Notice
from league.apps.notices.selectors.facts import build_evening_facts
from league.apps.notices.services.render import render_notice
from league.apps.sharing import previews
from league.apps.sharing.cards import Canvas, PictureCard
from league.core.fields.services.fields import NewField, declare_field
from league.core.game_words import list_sides_of_game
from league.core.games.selectors.games import compute_evening_day
from league.core.games.services.game_input import NewGame, NewResult
from league.core.jobs.services.progress import ignore_progress
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.demo.leagues import DEMOS, load_demo
from league.models import Game, League
from tests.helpers.builders import EVENING, make_league, record, sheet
from tests.helpers.desk_client import dated_sheet, fetch_page, sheet_fields
from tests.helpers.report_builders import link_of, reported
from tests.helpers.running_competitions import play_round, run_competition
from tests.helpers.tiers import long_way
from tests.pinned.crawler import crawl

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_database("What pages show of a game does not depend on it."),
]
#: Games of the demo that are read.
GAMES = 30
#: None of them is in the examples of what one may paste.
PLAYERS = ("mira", "olaf", "rolf", "tina")
TAGS = re.compile(r"<title>|</title>|<script.*?</script>|<[^>]*>", re.DOTALL)


def by_places(first: str, second: str, *places: int, days: int) -> NewGame:
    """Return a game without scores."""
    lines = [NewResult(first, None, places[0]), NewResult(second, None, places[1])]
    return NewGame(lines, played_at=timezone.now() - timedelta(days=days, minutes=1))


def build_chess() -> League:
    """Return a league of chess whose games have places alone, with a ladder, a competition and a report."""
    league = make_league(players=PLAYERS, slug="chess", reporting="by_link")
    create_ladder(
        league.pk, "fide", "Performance", RankingRule("fide_performance", "year", {"unrated": 1500}), username="olga"
    )
    pairs = [(first, second) for first in PLAYERS for second in PLAYERS if first < second]
    for days, (first, second) in enumerate(pairs):
        record(league, by_places(first, second, *((1, 2), (2, 1), (1, 1))[days % 3], days=days))
    run_competition(league, PLAYERS, tie_breaks=["BH"])
    play_round(league, 1, (1, 0), (0.5, 0.5))
    return league


def build_football() -> League:
    """Return the demo's football, of scores alone."""
    load_demo(next(demo for demo in DEMOS if demo.slug == "football"), ignore_progress, GAMES)
    return League.objects.get(slug="football")


def find_places(league: League, text: str) -> list[str]:
    """Return places behind a player's name, or alone between two tags, as games of more than two show them."""
    names = "|".join(re.escape(name) for name in league_names(league))
    words = re.sub(r"\s+", " ", TAGS.sub(" ", text))
    behind = re.findall(rf"(?:{names}) (?:[12]\.(?!\d)|place [12]\b|1st\b|2nd\b)", words)
    return behind + re.findall(r">\s*[12]\.\s*<", text)


def league_names(league: League) -> list[str]:
    """Return the names of all who have played."""
    return sorted(set(Game.objects.filter(league=league).values_list("results__player__name", flat=True)))


def read_everything(league: League, olga: Client) -> Iterator[tuple[str, str]]:
    """Yield address and text of each kind of page, feed, calendar, embed and desk's page, and of a message."""
    home, desk = f"/leagues/{league.slug}/", f"/admin/leagues/{league.slug}/"
    embeds = [f"/embed/leagues/{league.slug}/", f"{home}games.atom", f"{home}ladders.ics", f"{home}wall/"]
    starts = ["/", home, *embeds, f"{home}games/1/", f"{home}what-if/", f"{home}share/"]
    yield from crawl(Client(), starts, lambda address: address.startswith((home, "/embed/"))).items()
    yield from crawl(olga, [desk, f"{desk}games/", f"{desk}record/"], lambda address: address.startswith(desk)).items()
    day = compute_evening_day(league, league.games.latest("played_at").played_at)
    notice = Notice(league=league, kind="notice.evening", facts=build_evening_facts(league, day))
    yield "message", repr(render_notice(notice, league))


@pytest.mark.slow("Reads every page; the pages of a report, of a correction and pictures are read below.")
@pytest.mark.parametrize("build", [build_chess, build_football])
def test_nothing_shows_places(build: Callable[[], League], olga: Client) -> None:
    league = build()
    texts = dict(read_everything(league, olga))
    assert {address: found for address, text in texts.items() if (found := find_places(league, text))} == {}
    # Everything was read: a page, a game of the desk, a feed, an embed.
    for part in ("/players/", "/versus/", "/ladders/", "games.atom", "/embed/", "/admin/", "/wall/"):
        assert any(part in address for address in texts), part


@long_way
def test_the_pages_of_a_report_and_of_a_correction_show_the_line(olga: Client) -> None:
    league = build_chess()
    report = reported(link_of(league, "mira"), by_places("mira", "olaf", 1, 2, days=0))
    pages = [Client().get(f"/report/{link_of(league, 'olaf')}/"), olga.get("/admin/leagues/chess/reports/")]
    for page in pages:
        text = page.content.decode()
        assert find_places(league, text) == []
        assert "Mira 1–0 Olaf" in re.sub(r"\s+", " ", TAGS.sub(" ", text))
    assert report.state in report.OPEN
    columns = ("player", "place")
    rows = sheet_fields(("mira", 2), ("olaf", 1), columns=columns)
    preview = olga.post("/admin/leagues/chess/games/1/correct/", {**dated_sheet(), **rows}).content.decode()
    assert find_places(league, preview) == []
    changes = re.findall(r'<del\s+class="was"\s*>([^<]*)</del>\s*<ins class="now">([^<]*)</ins>', preview)
    assert changes[:2] == [("1", "0"), ("0", "1")]


@long_way
@pytest.mark.parametrize("build", [build_chess, build_football])
def test_a_picture_has_the_result_and_no_places(
    build: Callable[[], League], client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = build()
    drawn: list[PictureCard] = []

    def keep(card: PictureCard, _canvas: Canvas) -> bytes:
        drawn.append(card)
        return b""

    monkeypatch.setattr(previews, "draw_png", keep)
    numbers = list(Game.objects.filter(league=league).values_list("number", flat=True)[:6])
    for number in numbers:
        assert client.get(f"/leagues/{league.slug}/games/{number}/card.png").status_code == 200
    assert len(drawn) == len(numbers)
    for card in drawn:
        first, second = card.rows
        assert (first.rank, second.rank) == (None, None)
        assert card.title.endswith(f" {first.figure}–{second.figure}")


def test_the_rows_of_a_player_name_the_side_that_was_played(client: Client) -> None:
    league = make_league(game="Football")
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("ben", "anna"), (1, 0), minutes=1))
    for player, sides in (("anna", ["away", "at home"]), ("ben", ["at home", "away"])):
        page = fetch_page(client, f"/leagues/club/players/{player}/")
        # Newest first.
        rows = re.findall(r'<td class="others">(.*?)</td>', page, re.DOTALL)
        other = "Ben" if player == "anna" else "Anna"
        assert [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in rows] == [
            # Her own side stands before the other's name, so that it is not read of him.
            f"{side} against {other}"
            for side in sides
        ]
    record(league, sheet(("anna", "ben", "cleo"), (2, 1, 0), minutes=2))
    assert not re.search(r"(at home|away) against", fetch_page(client, "/leagues/club/players/cleo/"))


def test_a_friendly_is_played_but_not_rated(client: Client) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0), played_at=EVENING))
    page = fetch_page(client, "/leagues/club/players/anna/")
    assert "<dt>Games</dt><dd>1<small>1 won, 100%</small>" in page
    assert "Current winning streak" not in page, "one game is no streak"
    friendly = sheet(("anna", "ben"), (0, 1), kind="friendly", played_at=EVENING + timedelta(days=30))
    record(league, friendly)
    page = fetch_page(client, "/leagues/club/players/anna/")
    assert "<dt>Games</dt><dd>1<small>1 won, 100% of 1 rated game</small>" in page
    assert re.search(r"<small>1\s+unrated</small>", page)
    assert re.search(r"First played <time[^>]*>5 Mar 2024</time>, last played <time[^>]*>4 Apr 2024</time>", page)
    assert '</h2><p class="meta">rated games</p>' in page
    assert re.search(r'<td class="num" colspan="2">\s*<span class="soft">Friendly</span>', page)
    rivals = page[page.index('id="rivals"') :]
    assert re.search(r"games between the two\s*· rated games", rivals), "the friendly is not among them"


def test_on_neutral_ground_neither_side_plays_at_home(client: Client) -> None:
    league = make_league(game="Football")
    declare_field(league.pk, NewField("neutral", "Neutral ground", "game", "yes_no"), username="olga")
    for minute, (players, fields) in enumerate(
        [(("anna", "ben"), {}), (("anna", "ben"), {"neutral": True}), (("ben", "anna"), {"neutral": False})]
    ):
        record(league, sheet(players, (1, 0), minutes=minute, fields=fields))
    games = [fetch_page(client, f"/leagues/club/games/{number}/") for number in (1, 2, 3)]
    assert [("Home" in page, "Away" in page) for page in games] == [(True, True), (False, False), (True, True)]
    page = fetch_page(client, "/leagues/club/players/anna/")
    # Newest first.
    assert re.findall(r"<small>([a-z ]+ against)</small>", page) == ["away against", "at home against"]
    rows = re.findall(r'<th scope="row">\s*(Home|Away|Neutral ground)\s*</th>\s*<td class="num">(\d+)</td>', page)
    assert rows == [("Home", "1"), ("Away", "1"), ("Neutral ground", "1")]
    # In a game of White and Black the field says nothing of the sides.
    sides = list_sides_of_game(League(game="Chess"), Game.objects.get(number=2))
    assert [side.name for side in sides] == ["White", "Black"]
