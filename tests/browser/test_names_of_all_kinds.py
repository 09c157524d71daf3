"""Names that run from right to left, and names of one very long word, on pages that run from left to right."""

from datetime import timedelta

import pytest
from playwright.sync_api import Page

from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import void_game
from league.core.ladders.services.decisions import advance
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.core.leagues.services.adjustments import AdjustmentData, adjust
from league.models import League, Player
from tests.browser.measures import BEYOND
from tests.browser.visits import Opener, go, run_in_languages, run_in_looks
from tests.helpers.builders import EVENING, make_league, record, rename, sheet

PAGES = [
    "/",
    "/leagues/club/",
    "/leagues/club/ladders/",
    "/leagues/club/ladders/ever/",
    "/leagues/club/games/",
    "/leagues/club/games/1/",
    "/leagues/club/players/anna/",
    "/leagues/club/players/anna/?with=ben",
    "/leagues/club/players/anna/versus/ben/",
    "/leagues/club/what-if/?p=anna&r=1&p=ben&r=2",
    "/leagues/club/what-if/?p=anna&p=ben",
]
SHORTER = pytest.mark.slow("A shorter word.")
#: Signs that stand right of their figures, and results and signed changes whose second part stands left of the first.
TURNED = """() => {
  const left = (node, at) => {
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    const box = range.getBoundingClientRect();
    return box.width ? [box.left, box.top] : null;
  };
  const found = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (!node.parentElement.checkVisibility() || node.parentElement.closest("script, style, .sr")) continue;
    for (const match of node.data.matchAll(/[+−]\\d|\\d+(?=\\s?[:–]\\s?\\d)/g)) {
      const signed = /^[+−]/.test(match[0]);
      const end = signed ? match.index + 1 : node.data.slice(match.index).search(/[:–]/) + match.index + 1;
      const second = node.data[end].trim() ? end : end + 1;
      const [one, other] = [left(node, match.index), left(node, second)];
      if (one && other && one[1] === other[1] && one[0] > other[0]) found.push(node.data.trim());
    }
  }
  return found;
}"""


def named(**names: str) -> None:
    """Give people other names."""
    for handle, name in names.items():
        rename(name, handle)


@pytest.fixture
def league() -> League:
    """Return a league of duels with scores, an adjustment and a correction."""
    league = make_league("elo", starts={"anna": 1500, "ben": 1500}, close_after_hours=0)
    for day in range(4):
        record(league, sheet(("anna", "ben"), scores=(21, 15), played_at=EVENING + timedelta(days=day)))
    create_ladder(league.pk, "ever", "Points", RankingRule("points", "all_time", {"minimum": 1}), username="test")
    advance(league.pk)
    adjust(league.pk, Player.objects.get(handle="ben"), AdjustmentData(10, "Made the tea.", None), username="test")
    void_game(league.pk, 2, reason="Recorded twice", username="test")
    return league


def wide(page: Page) -> list[str]:
    """Return what is wider than the window: nothing, or the page and what ends beyond it."""
    width, window = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    return [f"{width} of {window}", *page.evaluate(BEYOND)] if width > window else []


@pytest.mark.slow("Other names; the longest are held beside it.")
def test_names_from_right_to_left_turn_no_figure_around(league: League, open_page: Opener) -> None:
    named(anna="\u05d3\u05d5\u05d3 \u05db\u05d4\u05df", ben="\u0645\u062d\u0645\u062f")
    page = open_page("/")
    assert {path: page.evaluate(TURNED) for path in PAGES if go(page, path)} == {path: [] for path in PAGES}
    # The measure itself: a figure that is turned around is seen.
    page.evaluate("document.querySelector('h1').textContent = '\u05d3\u05d5\u05d3 \u2013 \u05db\u05d4\u05df 21–15'")
    assert len(page.evaluate(TURNED)) == 1


@pytest.mark.parametrize(
    "name",
    [
        "W" * 80,
        pytest.param("Donaudampfschifffahrtsgesellschaftskapitaen"[:42], marks=SHORTER),
    ],
)
@run_in_looks("phone", ("light", "phone"))
def test_words_of_any_length_fit_the_window(league: League, desk: Opener, name: str, look: dict[str, bool]) -> None:
    named(anna=name, ben=name[::-1])
    page = desk("/", **look)
    paths = [*PAGES, "/admin/leagues/club/people/players/anna/", "/admin/leagues/club/people/", "/admin/leagues/club/"]
    if not look:
        page.set_viewport_size({"width": 1100, "height": 900})
    assert {path: wide(go(page, path)) for path in paths} == {path: [] for path in paths}


@run_in_languages()
def test_a_board_with_figures_beside_the_rating_is_not_cut_on_a_phone(open_page: Opener, code: str) -> None:
    """The rating is what the board is for: it must not be scrolled to."""
    league = make_league("glicko2")
    named(anna="Anna Katharina Bergmann", ben="Benedikt Aleksandrowicz")
    for day in range(6):
        record(league, sheet(("anna", "ben"), places=(1, 2), played_at=EVENING + timedelta(days=day)))
    page = open_page(f"/leagues/club/?lang={code}", phone=True)
    for width in (360, 390):
        page.set_viewport_size({"width": width, "height": 780})
        table = page.locator(".scroll:has(.board)")
        assert (width, table.evaluate("one => one.scrollWidth - one.clientWidth")) == (width, 0)
        # A name of ordinary words is not cut within one.
        assert page.locator(".board tbody th[scope=row]").first.bounding_box()["width"] > 120  # type: ignore[index]


@run_in_languages()
def test_games_of_partners_fit_a_phone_in_every_language(open_page: Opener, code: str) -> None:
    league = make_league("elo")
    pairs = [("anna", 21, 1), ("ben", 21, 1), ("cleo", 15, 2), ("dan", 15, 2)]
    for day in range(3):
        results = [NewResult(who, score, side=side) for who, score, side in pairs]
        record(league, NewGame(results, EVENING + timedelta(days=day)))
    assert wide(open_page(f"/leagues/club/players/anna/?lang={code}", phone=True)) == []
