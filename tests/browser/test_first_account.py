"""The first minutes of a new site in a real browser: from the link in the terminal to the first league."""

from playwright.sync_api import expect

from league.core.accounts.services.first_account import compute_first_secret
from league.models import League
from tests.browser.visits import Opener, check_desk_page, check_page, go, run_in_looks

PASSWORD = "correct horse battery"


@run_in_looks(quick="phone")
def test_a_new_site_is_set_up_in_the_browser(open_page: Opener, look: dict[str, bool]) -> None:
    page = open_page("/", **look)
    expect(page.get_by_text("This site has no accounts yet.")).to_be_visible()
    check_page(page)
    go(page, f"/invitations/first/{compute_first_secret()}/")
    check_desk_page(page)
    for label, text in (("Username", "vera"), ("Password", PASSWORD), ("Password again", PASSWORD)):
        page.get_by_label(label, exact=True).fill(text)
    page.get_by_role("button", name="Create the first account").click()
    expect(page.get_by_role("heading", name="A new league")).to_be_visible()
    page.locator(".pick").first.click()
    page.get_by_label("Title").fill("Thursday club")
    page.get_by_role("button", name="Create league").click()
    expect(page.get_by_text("You are its owner.")).to_be_visible()
    assert League.objects.get().title == "Thursday club"
