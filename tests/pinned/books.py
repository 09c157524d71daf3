"""The leagues whose answers are pinned: demo leagues with every format, and the small one of the API's examples."""

import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from unittest.mock import patch

from league.apps.reports.services.links import make_link
from league.core.jobs.services.progress import ignore_progress
from league.demo.leagues import DEMOS, load_demo
from league.models import League, Player
from tests.fuzz.books import seed

#: The morning after an evening of the demo's clubs.
NOW = datetime(2026, 7, 17, 9, tzinfo=UTC)
#: The demo's "preferans" has the slug of the API's examples; football is 49,000 games in a file.
LEFT_OUT = ("preferans", "football")
#: Games of each demo league.
GAMES = 25
#: The secret of a player's private link.
LINK = "a-private-link-for-pinning"


@contextmanager
def known_clock_and_chance() -> Iterator[None]:
    """Let the clock stand, and secrets, ids and lots come from a known stream."""
    stream = random.Random(48)
    with ExitStack() as stack:
        stack.enter_context(patch("django.utils.timezone.now", lambda: NOW))
        for name in ("os.urandom", "random._urandom"):
            stack.enter_context(patch(name, stream.randbytes))
        yield


def write_books() -> dict[str, str]:
    """Write the leagues; return the headers of the owner's token of the API's league."""
    for demo in DEMOS:
        if demo.slug not in LEFT_OUT:
            load_demo(demo, ignore_progress, GAMES)
    headers = seed()
    club = League.objects.get(slug="games-club")
    make_link(
        club.pk,
        LINK,
        username="test",
        player=Player.objects.filter(entries__entry__competition__league=club).earliest("handle"),
    )
    return headers
