"""Clubs for tests of the desk, with people of two words each."""

from datetime import date, timedelta
from typing import Any

from django.utils import timezone

from league.apps.webhooks.models import Delivery, Webhook
from league.apps.webhooks.services.webhooks import make_webhook
from league.core.leagues.services.leagues import adopt_rule
from league.models import Job, League
from tests.helpers.builders import make_league, record, rename, sheet
from tests.helpers.ladder_builders import close, duel, make_ladder, utc

NAMES = ("Anna Berg", "Ben Cohen", "Cleo Dahl", "Dan Evers", "Eva Fuchs", "Finn Gross", "Gina Hall", "Hugo Ivers")
BARBU: dict[str, Any] = {"demand_total": "yes", "total": 0}
LONG_TITLE = "The very long evening club of the Wolfeschlegelsteinhausenbergerdorff"


def make_club(system: str = "barbu", slug: str = "club", names: tuple[str, ...] = NAMES, **more: Any) -> League:
    """Return a league whose people have names of two words."""
    handles = [name.split()[0].lower() for name in names]
    more = {"parameters": BARBU, **more} if system == "barbu" else more
    league = make_league(system, slug=slug, players=tuple(handles), **more)
    for handle, name in zip(handles, names, strict=True):
        rename(name, handle)
    return league


def make_club_with_closed_march() -> League:
    """Return a club with three games of a March that is closed, and one of today."""
    league = make_club()
    handles = [name.split()[0].lower() for name in NAMES]
    for number, scores in enumerate(((75, -40, -35, 0), (10, 20, -30, 0), (5, -5, 15, -15))):
        record(
            league, sheet(handles[number : number + 4], scores, played_at=utc("2024-03-05") + timedelta(days=number))
        )
    make_ladder(league, "month", "rating_score", evidence_penalty=0)
    close(league, "2024-03")
    record(league, sheet(handles[4:], (1, 2, 3, -6), played_at=timezone.now() - timedelta(hours=2)))
    return league


def make_ruled_club() -> League:
    """Return a league with a long title, a game, a coming rule and a job under way."""
    league = make_league(players=("anna", "ben"))
    League.objects.filter(pk=league.pk).update(title=LONG_TITLE)
    record(league, sheet(("anna", "ben"), (1, 0)))
    adopt_rule(league.pk, "elo", {"k": 32}, date(2150, 1, 1), username="olga")
    Job.objects.create(league=league, kind="replay", state="running", phase="rating", done=1, total=4,
                       asked_at=timezone.now())  # fmt: skip
    return league


def make_looked_after_club() -> League:
    """Return a league with long names, a period that differs, one to close, a webhook that failed, and a job."""
    league = make_league(players=("anna", "ben", "cleo"))
    League.objects.update(title=LONG_TITLE)
    make_ladder(league)
    record(league, duel("anna", "ben", "2024-03-05"))
    close(league, "2024-03")
    for first, second in (("anna", "ben"), ("ben", "cleo"), ("cleo", "anna")):
        record(league, sheet((first, second), (1, 0)))
    record(league, duel("ben", "cleo", "2024-04-05"))
    webhook, _ = make_webhook(league.pk, "https://club.example/hooks/" + "long" * 40)
    now = timezone.now()
    Webhook.objects.update(failures=2, next_try_at=now)
    Delivery.objects.create(league=league, webhook=webhook, position=3, kind="game.recorded", message="m", attempt=2,
                            at=now, status=500, ms=120, error="The receiver answered 500.")  # fmt: skip
    Job.objects.create(league=league, kind="import", state="running", phase="reading", done=1, total=4,
                       asked_by="olga", asked_at=now)  # fmt: skip
    return league
