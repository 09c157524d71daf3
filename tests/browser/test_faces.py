"""A league's colour, emblem and picture on its desk, in a real browser: without script and by keys."""

from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from league.models import League
from tests.browser.visits import Opener, check_desk_page, go, run_in_looks
from tests.helpers.builders import make_league

SETTINGS = "/admin/leagues/club/settings/"


def drawn(page: Page) -> list[str]:
    """Return what of the shield that is tried is to be seen: its divisions and charges, by their classes."""
    seen: list[str] = page.evaluate(
        "[...document.querySelectorAll('#face .mien .bit')].filter((one) => one.checkVisibility())"
        ".map((one) => [...one.classList].find((name) => /^[cd]-/.test(name)))"
    )
    return seen


@run_in_looks()
def test_the_shield_shows_what_is_chosen_before_it_is_saved_and_without_script(
    desk: Opener, look: dict[str, bool]
) -> None:
    league = make_league()
    page = desk(SETTINGS, script=False, **look)
    page.get_by_role("heading", name="Colour and emblem").click()
    assert drawn(page) == ["d-auto", "c-auto"]
    before = page.locator("#face .mien .f").evaluate("one => getComputedStyle(one).fill")
    page.locator("[name=colour]:checked").focus()
    for key in ("ArrowRight", "Tab", "ArrowRight", "ArrowRight", "Tab", "ArrowRight"):
        page.keyboard.press(key)
    assert drawn(page) == ["d-pale", "c-heart"]
    assert page.locator("#face .mien .f").evaluate("one => getComputedStyle(one).fill") != before
    # Past the picture and its key.
    for key in ("Tab", "Tab", "Tab", "Enter"):
        page.keyboard.press(key)
    expect(page.get_by_role("status")).to_contain_text("Changed: colour, field, symbol.")
    page.wait_for_load_state()
    league.refresh_from_db()
    assert (league.colour, league.division, league.charge) == ("claret", "pale", "heart")
    page.get_by_role("heading", name="Colour and emblem").click()
    assert drawn(page) == ["d-pale", "c-heart"]


@run_in_looks()
@pytest.mark.slow("A rare turn; what most do is held by other journeys.")
def test_a_picture_stands_wherever_the_emblem_would(desk: Opener, look: dict[str, bool]) -> None:
    make_league()
    file = BytesIO()
    Image.new("RGB", (200, 100), (180, 20, 40)).save(file, "PNG")
    page = desk(SETTINGS, **look)
    page.get_by_role("heading", name="Colour and emblem").click()
    page.get_by_label("Picture", exact=True).set_input_files(
        {"name": "club.png", "mimeType": "image/png", "buffer": file.getvalue()}
    )
    page.get_by_role("button", name="Use this picture").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("The picture now replaces the generated emblem")
    page.wait_for_load_state()
    check_desk_page(page)
    for path in (SETTINGS, "/leagues/club/", "/embed/leagues/club/"):
        assert go(page, path).locator("img.crest").first.evaluate("one => one.naturalWidth") == 200
    assert League.objects.get().picture
    go(page, SETTINGS).get_by_role("heading", name="Colour and emblem").click()
    page.get_by_role("button", name="Use the generated emblem").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("The generated emblem is shown again.")
    expect(page.locator("img.crest")).to_have_count(0)
