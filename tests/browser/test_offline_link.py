"""A player's page without network: it opens with the last state, to its own link only, and ends with the link."""

from urllib.parse import urlsplit

from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from league.apps.reports.models import Report, ReportLink
from league.apps.reports.services.links import revoke_link
from league.models import League
from tests.browser.pad import score_in, wait_for_worker
from tests.browser.visits import Opener, check_page, go
from tests.helpers.builders import player_of, record
from tests.helpers.report_builders import TABLE_PAGE, link_of, played, reporting_club

#: What a browser keeps of pages: caches with the addresses in them, and workers.
KEPT = """async () => {
    const found = [];
    for (const name of await caches.keys())
        for (const { url } of await (await caches.open(name)).keys())
            if (new URL(url).pathname.startsWith("/report/")) found.push(new URL(url).pathname + new URL(url).search);
    const workers = (await navigator.serviceWorker.getRegistrations()).map((one) => new URL(one.scope).pathname);
    return [found.sort(), workers.sort()];
}"""


def kept(page: Page) -> list[list[str]]:
    """Return what a browser keeps of pages behind links, and the scopes of its workers."""
    found: list[list[str]] = page.evaluate(KEPT)
    return found


def wait_until(page: Page, condition: str) -> None:
    """Wait until a condition is true, which may wait itself."""
    page.evaluate(f"async () => {{ while (!({condition})) await new Promise((go) => setTimeout(go, 50)); }}")


def test_a_players_page_opens_without_network_with_the_last_state(open_page: Opener) -> None:
    league = reporting_club()
    record(league, played(("anna", "cleo"), (1, 0)))
    address = f"/report/{link_of(league, 'anna')}/"
    page = wait_for_worker(open_page(address, phone=True))
    # A form's answer is not kept, but the state after it.
    record(league, played(("dan", "anna"), (1, 0), hours=0.5))
    go(page, f"{address}?just=1")
    wait_until(page, "(await (await caches.match(location.origin + location.pathname)).text()).includes('in game 4')")
    assert kept(page) == [[address], [address]]
    page.context.set_offline(True)
    go(page, address)
    expect(page.get_by_text("This is the last known state.")).to_be_visible()
    expect(page.locator(".figures")).to_contain_text("in game 4")
    expect(page.locator("#seats > li").first).to_contain_text("Anna")
    check_page(page)
    go(page, f"{address}?fixture=1&players=anna,ben")
    expect(page.get_by_text("This is the last known state.")).to_be_visible()
    # What is typed on a kept page is sent once the network is there.
    page.get_by_role("button", name="Ben").click()
    for seat, score in ((1, "1"), (2, "0")):
        score_in(page, seat).fill(score)
    page.get_by_role("button", name="Report the game").click()
    expect(page.get_by_text("You are offline: nothing was sent.")).to_be_visible()
    page.context.set_offline(False)
    expect(page.get_by_text("You are online again.")).to_be_visible()
    page.get_by_role("button", name="Report the game").click()
    expect(page.get_by_text("The game was reported.")).to_be_visible()
    expect(page.get_by_text("This is the last known state.")).to_have_count(0)
    assert Report.objects.count() == 1


def test_of_two_on_one_browser_neither_sees_what_is_the_others(open_page: Opener, known_faults: list[str]) -> None:
    known_faults.append("status of 410")
    league = reporting_club()
    anna, ben = (f"/report/{link_of(league, one)}/" for one in ("anna", "ben"))
    User.objects.create_superuser("olga")
    page = wait_for_worker(open_page(anna, user="olga"))
    go(page, f"{TABLE_PAGE}?who=ben")
    page.wait_for_load_state("networkidle")
    # A table's page is everyone's: nothing of it is kept.
    assert kept(page) == [[anna], [anna]]
    wait_for_worker(go(page, ben))
    assert kept(page) == [sorted([anna, ben]), sorted([anna, ben])]
    page.context.set_offline(True)
    for address, name in ((anna, "Anna"), (ben, "Ben")):
        go(page, address)
        expect(page.get_by_role("heading", level=1)).to_have_text(name)
    page.context.set_offline(False)
    expect(page.get_by_text("This is the last known state.")).to_have_count(0)
    # An ended link takes what was kept of it along, and nothing else.
    revoke_link(league.pk, ReportLink.objects.get(player=player_of("anna")).pk, username="olga")
    go(page, anna)
    expect(page.get_by_role("heading", name="This link is no longer valid")).to_be_visible()
    scopes = "(await navigator.serviceWorker.getRegistrations())"
    wait_until(page, f"!{scopes}.some((one) => one.scope.endsWith('{anna}') && one.active)")
    assert kept(page) == [[ben], [ben]]
    # Signing out leaves nothing behind.
    go(page, "/admin/")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="You are signed out")).to_be_visible()
    wait_until(page, f"!{scopes}.length")
    assert kept(page) == [[], []]


def test_a_kept_page_is_renewed_when_the_network_is_back(open_page: Opener) -> None:
    league: League = reporting_club()
    page = wait_for_worker(open_page(f"/report/{link_of(league, 'anna')}/"))
    page.context.set_offline(True)
    go(page, urlsplit(page.url).path)
    expect(page.get_by_text("This is the last known state.")).to_be_visible()
    record(league, played(("anna", "cleo"), (1, 0)))
    page.context.set_offline(False)
    expect(page.locator(".figures")).to_contain_text("in game 3")
    expect(page.get_by_text("This is the last known state.")).to_have_count(0)


def test_a_kept_page_is_not_renewed_while_a_name_is_typed(open_page: Opener) -> None:
    league: League = reporting_club()
    page = wait_for_worker(open_page(f"/report/{link_of(league, 'anna')}/"))
    page.context.set_offline(True)
    go(page, urlsplit(page.url).path)
    last_known = page.get_by_text("This is the last known state.")
    expect(last_known).to_be_visible()
    page.locator("#find").fill("Be")
    page.context.set_offline(False)
    # The site answers, so that a page which is to be renewed soon is.
    page.evaluate("dispatchEvent(new Event('online'))")
    page.evaluate("fetch('/', { cache: 'no-store' }).then((answer) => answer.text())")
    page.wait_for_timeout(1000)
    expect(last_known).to_be_visible()
    expect(page.locator("#find")).to_have_value("Be")
    page.locator("#find").fill("")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(last_known).to_have_count(0)
