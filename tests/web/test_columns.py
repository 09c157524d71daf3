"""A column of figures has one number of decimals: on the pages of all systems and methods, and in previews.

tests/pinned asks all pages of three leagues, of their competitions and of their desk.
"""

import re

import pytest
from django.test import Client

from league.core.jobs.services.progress import ignore_progress
from league.core.text.display_formats import format_exact_column
from league.demo.leagues import DEMOS, load_demo
from tests.helpers.builders import FOUR, make_league, record, sheet
from tests.helpers.desk_client import DESK, dated_sheet
from tests.helpers.page_tables import list_mixed_columns
from tests.helpers.tiers import mark_slow

pytestmark = [pytest.mark.django_db, pytest.mark.one_database("What pages show does not depend on it.")]
#: Lists of settings or of unlike values, one a row: each is shown in full.
LISTS = ("Parameters", "Individual values", "Settings")
GAMES = 12


def list_mixed(text: str) -> list[object]:
    """Return the columns of a page with several numbers of decimals, but those of lists."""
    return [mixed for mixed in list_mixed_columns(text) if not mixed[0].startswith(LISTS)]


def find_mixed(client: Client, address: str) -> list[object]:
    """Return the columns of the page at an address with several numbers of decimals."""
    answer = client.get(address)
    assert answer.status_code == 200, address
    return list_mixed(answer.content.decode())


def test_pages_of_systems_and_methods(client: Client) -> None:
    links = re.findall(r'href="(/(?:systems|ladder-methods)/[\w-]+/)"', client.get("/systems/").content.decode())
    assert {"/systems/elo/", "/systems/trueskill/", "/systems/barbu/"} <= set(links)
    assert {address: found for address in links if (found := find_mixed(client, address))} == {}


@pytest.mark.parametrize(
    "slug",
    mark_slow(["barbu", "preferans", "rail18xx", "boats", "football"], "Other leagues.", but=("barbu", "football")),
)
def test_pages_of_a_league_with_fractions(client: Client, slug: str) -> None:
    load_demo(next(demo for demo in DEMOS if demo.slug == slug), ignore_progress, GAMES)
    home = f"/leagues/{slug}/"
    players = re.findall(rf'href="({home}players/[^/"]+/)"', client.get(f"{home}games/1/").content.decode())
    seats = "&".join(f"p={address.split('/')[-2]}&r={number}.5" for number, address in enumerate(players[:2]))
    pages = [home, f"{home}games/", f"{home}games/1/", f"{home}games/{GAMES}/", f"{home}ladders/", f"{home}how/"]
    pages += [*players[:2], f"{players[0]}versus/{players[1].split('/')[-2]}/", f"{home}what-if/?{seats}"]
    assert {address: found for address in pages if (found := find_mixed(client, address))} == {}


@pytest.mark.parametrize("system", mark_slow(["elo", "trueskill", "glicko2"], "Other systems.", but=("glicko2",)))
def test_a_preview_of_a_correction(olga: Client, system: str) -> None:
    league = make_league(system, starts={"anna": 1712.25} if system == "elo" else None)
    for minutes in range(6):
        first, second = FOUR[minutes % 4], FOUR[(minutes + 1) % 4]
        record(league, sheet((first, second), (minutes % 3 / 2, 1 - minutes % 3 / 2), minutes=minutes))
    page = olga.post(f"{DESK}games/2/correct/", dated_sheet(("anna", 7), ("cleo", 3)))
    text = page.content.decode()
    assert "sheetrows" in text
    assert list_mixed_columns(text) == []


def test_figures_line_up() -> None:
    assert format_exact_column([-12.828, 11.14, 0]) == ["−12.828", "11.140", "0.000"]
    assert format_exact_column([1, -20, None]) == ["1", "−20", "–"]
    # As many digits as a double has for certain: two before the point leave ten.
    assert format_exact_column([41.05425962510001, 0.0091679335339]) == ["41.0542596251", "0.0091679335"]
    assert format_exact_column([]) == []
