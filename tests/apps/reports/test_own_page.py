"""My page: what the page of a private link shows of its player, and the calendar behind it."""

import json
import re
import struct
from dataclasses import replace
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from icalendar import Calendar

from league.apps.competitions.services.rounds import NewFixture, add_fixtures
from league.apps.reports.models import ReportLink
from league.apps.reports.services.links import revoke_link
from league.core.leagues.services.leagues import change_league
from league.core.text.display_formats import format_month, format_number, format_signed
from tests.helpers.builders import league_of, player_of, ratings, record, rename
from tests.helpers.desk_client import PAD, page_text, sign_in_member
from tests.helpers.ladder_builders import make_ladder
from tests.helpers.report_builders import TABLE_PAGE, link_of, played, report_fields, reporting_club
from tests.helpers.running_competitions import run_competition
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

built = built_once(reporting_club)


def test_my_page_begins_with_ones_rating_its_last_change_and_why(client: Client) -> None:
    league = league_of()
    address = f"/report/{link_of(league, 'anna')}/"
    before = ratings(league)["anna"]
    record(league, played(("anna", "cleo"), (1, 0)))
    record(league, played(("cleo", "dan"), (1, 0)))
    page = client.get(address)
    change = ratings(league)["anna"] - before
    assert change > 0
    shown = page_text(page)
    assert f"Rating {format_number(ratings(league)['anna'], 1)} {format_signed(change, 1)} in game 3 Why?" in shown
    assert "Rank 1 of 4 Games 2 rated games" in shown
    assert '<a href="/leagues/club/games/3/#anna">Why?</a>' in page.content.decode()
    assert f"{format_signed(change, 1)} Game 3 · " in shown
    # The time zone is named once, and with no time.
    assert "Time zone UTC" in shown
    assert not re.search(r"\d:\d\d UTC", shown)


def test_my_page_has_ones_place_in_the_periods_that_are_played(client: Client) -> None:
    league = league_of()
    address = f"/report/{link_of(league, 'anna')}/"
    make_ladder(league)
    assert "of 2 · " not in page_text(client.get(address))
    # An hour ago may be another month.
    record(league, played(("anna", "cleo"), (1, 0), hours=0))
    month = timezone.now().strftime("%Y-%m")
    # Of the players of this month Anna has a point, and the other none.
    assert f"{format_month(timezone.now())} 1 of 2 · Points 1.0" in page_text(client.get(address))
    assert f'href="/leagues/club/ladders/month/{month}/"' in client.get(address).content.decode()


@pytest.mark.parametrize(
    ("game", "seats", "again"),
    [
        ("Chess", ["White", "Black"], "Colours swapped"),
        ("Football", ["Home", "Away"], "Sides swapped"),
        ("Table tennis", ["First side", "Second side"], "Sides swapped"),
    ],
)
def test_the_seats_of_a_report_are_named_like_those_of_the_pad(
    client: Client, game: str, seats: list[str], again: str
) -> None:
    league = league_of()
    change_league(league.pk, {"game": game}, username="olga")
    record(league, played(("anna", "cleo"), (1, 0)))
    olga = sign_in_member("otto", "organiser", league)
    for page in (client.get(f"/report/{link_of(league, 'anna')}/"), olga.get(PAD)):
        shown = page.content.decode()
        assert re.findall(r"data-grip\s*>([^<]+)<", shown)[:2] == seats
        assert f'data-sides="{",".join(seats)}"' in shown
    assert f"Same players · {again}" in page_text(page)
    assert "Next: new players same players swapped" in page_text(page)


@pytest.mark.parametrize(("visibility", "rated"), [("public", (True, True)), ("private", (True, False))])
def test_a_tables_link_tells_only_public_ratings(client: Client, visibility: str, rated: tuple[bool, bool]) -> None:
    league = league_of()
    change_league(league.pk, {"visibility": visibility}, username="olga")
    own, table = client.get(f"/report/{link_of(league, 'anna')}/"), client.get(f"{TABLE_PAGE}?who=anna")
    assert tuple("in game 1" in page_text(page) for page in (own, table)) == rated
    assert ("Why?" in own.content.decode()) == (visibility == "public")
    assert ("calendar.ics" in own.content.decode(), "calendar.ics" in table.content.decode()) == (True, False)


def test_a_new_sheet_seats_oneself_and_a_game_to_play_both(client: Client) -> None:
    league = league_of()
    address = f"/report/{link_of(league, 'anna')}/"

    def seated(path: str) -> list[str]:
        forms = client.get(path).context["sheet"].formset.forms
        return [name for form in forms if (name := form["player"].value())]

    assert seated(address) == ["anna"]
    assert seated(f"{address}?players=ben,anna") == ["ben", "anna"]
    assert seated(f"{TABLE_PAGE}?who=cleo") == ["cleo"]


def test_without_a_recent_game_the_earlier_ones_stand_there_and_nothing_untrue_while_a_report_waits(
    client: Client,
) -> None:
    league = league_of()
    anna, ben = (f"/report/{link_of(league, one)}/" for one in ("anna", "ben"))
    shown = page_text(client.get(ben))
    assert "No games with you were reported. Earlier games lost 0–1 against Anna" in shown
    client.post(anna, report_fields())
    shown = page_text(client.get(ben))
    assert "Is this right?" in shown
    # The own score first.
    assert "won 1–0 against Ben" in page_text(client.get(anna))
    assert "No games with you were reported." not in shown


def test_a_calendar_behind_the_link_has_ones_own_games_and_the_ladders(client: Client) -> None:
    league = league_of()
    make_ladder(league)
    record(league, played(("cleo", "dan")))
    run_competition(league, ("anna", "ben", "cleo", "dan"), "free")
    soon = timezone.now() + timedelta(days=3)
    fixtures = [NewFixture([1, 2], starts_at=soon), NewFixture([3, 4], starts_at=soon)]
    add_fixtures(league.pk, "cup", fixtures, by="olga")
    address = f"/report/{link_of(league, 'anna')}/calendar.ics"
    answer = client.get(address)
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    assert (answer["X-Robots-Tag"], "no-store" in answer["Cache-Control"]) == ("noindex, nofollow", True)
    calendar = Calendar.from_ical(answer.content)
    titles = [str(event["summary"]) for event in calendar.walk("VEVENT")]
    assert str(calendar["x-wr-calname"]) == "Club: Anna"
    assert "Cup: Anna – Ben" in titles
    assert "Cup: Cleo – Dan" not in titles
    assert any(title.startswith("Month, ") for title in titles)
    assert client.get(f"{TABLE_PAGE}calendar.ics").status_code == 404
    link = ReportLink.objects.get(player=player_of("anna"))
    revoke_link(league.pk, link.pk, username="olga")
    assert client.get(address).status_code == 410


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_a_players_page_can_be_installed_and_a_tables_cannot(client: Client, visibility: str) -> None:
    league = league_of()
    change_league(league.pk, {"visibility": visibility}, username="olga")
    address = f"/report/{link_of(league, 'anna')}/"
    page = client.get(address).content.decode()
    assert f'<link rel="manifest" href="{address}app.webmanifest">' in page
    answer = client.get(f"{address}app.webmanifest")
    assert answer["Content-Type"] == "application/manifest+json"
    assert (answer["X-Robots-Tag"], "no-store" in answer["Cache-Control"]) == ("noindex, nofollow", True)
    manifest = answer.json()
    assert (manifest["name"], manifest["short_name"]) == ("Anna · Club", "Club")
    assert (manifest["start_url"], manifest["scope"], manifest["display"]) == (address, address, "standalone")
    assert all(re.fullmatch("#[0-9a-f]{6}", manifest[key]) for key in ("theme_color", "background_color"))
    for icon, size in zip(manifest["icons"], (192, 512), strict=True):
        png = client.get(icon["src"])
        assert (icon["sizes"], png["Content-Type"]) == (f"{size}x{size}", "image/png")
        # The width and the height stand in the header of a PNG.
        assert struct.unpack(">II", png.content[16:24]) == (size, size)
    assert client.get(f"{address}icon-7.png").status_code == 404
    table = client.get(f"{TABLE_PAGE}?who=anna").content.decode()
    assert [part in table for part in ('rel="manifest"', "data-worker")] == [False, False]
    assert client.get(f"{TABLE_PAGE}app.webmanifest").status_code == 404
    revoke_link(league.pk, ReportLink.objects.get(player=player_of("anna")).pk, username="olga")
    assert {client.get(f"{address}{part}").status_code for part in ("app.webmanifest", "icon-192.png")} == {410}


def test_the_worker_of_the_pads_serves_links_too(client: Client) -> None:
    page = client.get(f"/report/{link_of(league_of(), 'anna')}/", headers={"Accept-Language": "de"}).content.decode()
    (address,) = re.findall(r'data-worker="([^"]*)"', page)
    assert address == "/admin/leagues/pad-worker.js?texts=de"
    worker = client.get(address)
    # Links are not below the address of the script.
    assert worker["Service-Worker-Allowed"] == "/"
    (parts,) = re.findall(r"^const PARTS = (.*);$", worker.content.decode(), re.M)
    asked = re.findall(r'(?:src|href)="(/(?:static|look)/[^"]*\.(?:js|css))"', page)
    assert "/static/rungs/report.js" in asked
    # The search asks the site.
    assert set(asked) - {"/static/rungs/search.js"} <= set(json.loads(parts))


def test_ones_own_result_stands_first_and_partners_are_named(client: Client) -> None:
    """Cleo and Dan beat Anna and Ben 3–1 as the second side; in a game of three nobody is one's opponent."""
    league = league_of()
    four = played(("anna", "ben", "cleo", "dan"), (1, 1, 3, 3))
    teams = [replace(one, side=side) for one, side in zip(four.results, (1, 1, 2, 2), strict=True)]
    record(league, replace(four, results=teams))
    assert "won 3–1 with Cleo against Anna &amp; Ben" in page_text(client.get(f"/report/{link_of(league, 'dan')}/"))
    assert "lost 1–3 with Anna against Cleo &amp; Dan" in page_text(client.get(f"/report/{link_of(league, 'ben')}/"))
    record(league, played(("anna", "ben", "cleo"), (5, 3, 1)))
    assert "Anna 5 Ben 3 Cleo 1" in page_text(client.get(f"/report/{link_of(league, 'cleo')}/"))


def test_the_own_result_is_that_of_the_player_and_not_of_a_namesake(client: Client) -> None:
    """Anna, Cleo and Dan have one name, as opponents and as partners, in a report and in games."""
    league = league_of()
    rename("Kim", "anna", "cleo", "dan")
    anna, cleo = (f"/report/{link_of(league, one)}/" for one in ("anna", "cleo"))
    client.post(anna, report_fields(players=("anna", "cleo")))
    assert "won 1–0 against Kim" in page_text(client.get(anna))
    # Who is asked stands out alone, and the one of the same name does not.
    asked = client.get(cleo).content.decode()
    assert asked.count('<bdi class="strong">Kim</bdi>') == 1 < asked.count(">Kim</bdi>")
    record(league, played(("anna", "cleo"), (0, 1)))
    four = played(("ben", "cleo", "anna", "dan"), (3, 3, 1, 1))
    record(league, replace(four, results=[replace(one, side=1 + at // 2) for at, one in enumerate(four.results)]))
    shown = page_text(client.get(cleo))
    assert "won 1–0 against Kim" in shown
    assert "won 3–1 with Ben against Kim &amp; Kim" in shown
    shown = page_text(client.get(anna))
    assert "lost 0–1 against Kim" in shown
    assert "lost 1–3 with Kim against Ben &amp; Kim" in shown


def test_my_page_leads_to_the_competitions_of_a_public_league_that_has_some(client: Client) -> None:
    league = league_of()
    page = f"/report/{link_of(league, 'anna')}/"
    assert ">Competitions</a>" not in client.get(page).content.decode()
    run_competition(league, ("cleo", "dan"), "free")
    assert '<a href="/leagues/club/competitions/">Competitions</a>' in client.get(page).content.decode()
    change_league(league.pk, {"visibility": "private"}, username="olga")
    assert ">Competitions</a>" not in client.get(page).content.decode()
