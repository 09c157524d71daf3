"""Every page of the desk in a real browser: accessible, as wide as the window, with keys for thumbs, without script."""

from datetime import date

import pytest

from league.apps.webhooks.models import Webhook
from league.core.leagues.services.leagues import adopt_rule
from league.models import Job, Player
from tests.browser.clubs import make_looked_after_club
from tests.browser.visits import Opener, check_desk_page, check_narrow, check_page, check_readable, go, run_in_looks
from tests.helpers.builders import make_league
from tests.helpers.desk_client import DESK
from tests.helpers.tiers import TIER

#: One of each kind.
PARTS = (
    "", "record/", "games/", "games/1/correct/", "games/3/order/", "people/", "people/players/anna/merge/", "starts/",
    "ladders/", "ladders/month/", "ladders/month/rule/?method=points", "ladders/month/periods/2024-03/", "new-ladder/",
    "decisions/", "rules/", "settings/", "webhooks/", "tokens/", "log/", "jobs/",
)  # fmt: skip
#: The same pages with something else on them.
VARIANTS = (
    "record/?just=1&players=anna,ben,cleo&keep=same",
    "ladders/month/periods/2024-04/",
    "new-ladder/?method=erf_mean",
)


@pytest.fixture
def paths() -> list[str]:
    """Make leagues of each kind of pad, and one with what can stand on a desk; return the addresses."""
    league = make_looked_after_club()
    adopt_rule(league.pk, "elo", {"k": 32}, date(2150, 1, 1), username="olga")
    long = "Benjamin-Maximilian von und zu Wolfeschlegelsteinhausenbergerdorff"
    Player.objects.filter(handle="ben").update(name=long)
    make_league("durak", slug="durak", players=("dora", "emil"))
    make_league("preferans", slug="pref", players=("gus", "hal"))
    own = (
        *PARTS,
        *(VARIANTS if TIER == "all" else ()),
        f"webhooks/{Webhook.objects.get().pk}/",
        f"jobs/{Job.objects.get().pk}/",
    )
    others = ["/admin/", "/admin/leagues/+new/", "/admin/leagues/durak/record/", "/admin/leagues/pref/record/"]
    return [*others, *(DESK + part for part in own)]


@run_in_looks()
def test_pages_are_accessible_and_fit(desk: Opener, paths: list[str], look: dict[str, bool]) -> None:
    """In the light in Russian, whose words are the longest: these fit the narrowest phone, too."""
    page = desk("/status/" if look else "/status/?lang=ru", **look)
    for path in paths:
        # Links in the rows of games and of errors are as high as their lines.
        check_desk_page(go(page, path), but=".tonight, .errors, .gamelist")
        check_narrow(page)
        assert page.evaluate("document.documentElement.lang") == ("en" if look else "ru")
    for path in ("/admin/league/game/", "/admin/auth/user/"):
        check_page(go(page, path))


@pytest.mark.slow("That it is written by the server, tests/web/organiser holds; that nothing hides it, this.")
def test_pages_are_readable_without_script(desk: Opener, paths: list[str]) -> None:
    page = desk(DESK, script=False)
    for path in paths:
        check_readable(go(page, path))
