"""Every page of the site and of the desk, in a language of brackets: no word stands outside of them."""

import re
from collections.abc import Iterator
from typing import cast

import pytest
from django.contrib.auth.models import User
from django.db.models import F, Value
from django.db.models.functions import Concat
from django.test import Client
from django.urls import resolve

from league.models import Adjustment, Ladder, League, Player
from tests.helpers.builders import make_league, record, rename, sheet
from tests.helpers.desk_matrix import MATRIX, build_desk, desk_address
from tests.helpers.shared import built_once
from tests.helpers.tiers import TIER
from tests.languages.pseudo import Watching, speaking_in_brackets

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db, pytest.mark.one_database("Words, not books.")]
#: So many pages of one kind are read: with one alone seven kinds would not be reached.
OF_A_KIND = {"quick": 2, "all": 3}[TIER]
ALPHA = "\u0391"
FORGOTTEN = re.compile(r": [Pp]layer[ -]\d+$")


def build() -> None:
    """Make the desk's club and a league of every system; everybody has a name without a letter of English."""
    build_desk()
    for system, people in (("barbu", 4), ("durak", 4), ("preferans", 3), ("serpentine", 4)):
        names = [f"{system[:2]}{number}" for number in range(people)]
        scores = {"preferans": (-60, 20, 40), "serpentine": (40, 30, 20, 10)}.get(system, (30, 10, -10, -30))
        details = {"bula": 20} if system == "preferans" else {}
        places = (1, 2, 3, 4) if system == "durak" else None
        league = make_league(system, names, slug=system)
        record(league, sheet(names, None if places else scores, places, details=details))
    for player in Player.objects.all():
        rename(f"{ALPHA}{player.pk}", player.handle)
    League.objects.update(title=Value(ALPHA), description=Value(ALPHA))
    Ladder.objects.update(title=Value(ALPHA))
    Adjustment.objects.update(reason=ALPHA)
    User.objects.exclude(username="").update(username=Concat(Value(ALPHA), F("pk")))


built = built_once(build)


@pytest.fixture(autouse=True)
def brackets() -> Iterator[None]:
    """Speak in brackets."""
    with speaking_in_brackets():
        yield


def crawl(browser: Watching, first: str, most: int = 400) -> None:
    """Read pages that lead to one another, a few of each kind."""
    waiting, known, kinds = [first], {first}, dict[str, int]()
    while waiting and len(known) < most:
        path = waiting.pop(0)
        answer = browser.get(path)
        if answer.status_code != 200 or not answer.get("Content-Type", "").startswith("text/html"):
            continue
        for found in re.findall(r'(?:href|action)="(/[^"#]*)', answer.content.decode()):
            target = found.replace("&amp;", "&")
            if target in known or re.match(r"/(static|api|look)/|.*[?&]lang=", target):
                continue
            match = resolve(target.split("?")[0])
            asked = sorted(re.findall(r"[?&](\w+)=", target))
            kind = f"{match.view_name} {asked}"
            if match.app_name == "admin" and match.url_name not in ("index", "login"):
                continue
            known.add(target)
            if kinds.setdefault(kind, 0) < OF_A_KIND:
                kinds[kind] += 1
                waiting.append(target)


def speaking(browser: Client) -> Client:
    """Let a browser ask for another language than English, which writes its ordinals by a rule of its own."""
    browser.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    return browser


def staff() -> Client:
    """Return the browser of whom everything is open to."""
    browser = Client()
    browser.force_login(User.objects.get(is_superuser=True))
    return browser


@pytest.mark.slow("Reads every page; test_marked finds unmarked texts in their templates.")
def test_no_public_page_has_a_word_that_is_in_no_catalogue(client: Client) -> None:
    browser = Watching(speaking(client))
    crawl(browser, "/")
    for path in ("/nothing/", "/leagues/club/games/99/", "/leagues/none/", "/accounts/forgotten/", "/report/x/"):
        browser.get(path)
    assert not browser.told, "\n".join(browser.told)


@pytest.mark.slow("Reads every page of the desk; test_marked finds unmarked texts in their templates.")
@pytest.mark.parametrize("name", MATRIX)
def test_no_page_of_the_desk_has_one(name: str) -> None:
    browser = Watching(speaking(staff()))
    page = MATRIX[name]
    browser.get(desk_address(name, page))
    if page.form:
        browser.post(desk_address(name, page), page.form(cast("Client", browser)), follow=True)
        browser.post(desk_address(name, page), {}, follow=True)
    # What somebody is called who was forgotten is a name in the books, and no text.
    found = [line for line in browser.told if not FORGOTTEN.search(line)]
    assert not found, "\n".join(found)
