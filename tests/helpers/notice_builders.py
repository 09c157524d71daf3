"""An evening of a club that is told by notices, and what was told."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import User

from league.apps.notices.models import Notice, NoticeMail
from league.apps.notices.services.enqueue import write_notices
from league.core.accounts.services.members import set_member
from league.core.games.services.record import correct_game
from league.models import League
from tests.helpers.builders import make_league, sheet
from tests.helpers.ladder_builders import clock, close, duel, make_ladder, record_as_played, utc

#: Six in the morning after the evening of 5 March 2024, by UTC.
MORNING = utc("2024-03-06T06:00")


def club(**settings: Any) -> League:
    """Return a league that rates by Elo, with a K of 20."""
    return make_league(parameters={"k": 20}, **settings)


def evening(league: League, day: str = "2024-03-05") -> None:
    """Record two games at the time at which they are played: Anna beats Ben, Cleo and Dan are level."""
    first = sheet(("anna", "ben"), (1, 0), played_at=utc(f"{day}T19:30"))
    second = sheet(("cleo", "dan"), (3, 3), played_at=utc(f"{day}T21:00"))
    record_as_played(league, first, second)


def told(league: League, now: datetime = MORNING) -> list[tuple[str, str]]:
    """Tell what is to be told at a moment; returns kind and subject of what is new, in order."""
    before = League.objects.get(pk=league.pk).last_message
    write_notices(league.pk, now)
    new = Notice.objects.filter(league=league, number__gt=before).order_by("number")
    return list(new.values_list("kind", "subject"))


def facts() -> dict[str, Any]:
    """Return what the newest notice says."""
    return Notice.objects.order_by("-number")[0].facts or {}


def member(league: League, name: str, role: str, email: str | None = None) -> User:
    """Return a member with an address."""
    user = User.objects.create_user(name, f"{name}@club.example" if email is None else email)
    set_member(league.pk, name, role)
    return user


def mailed() -> list[tuple[str, str, str]]:
    """Return who is mailed: name, kind, state."""
    rows = NoticeMail.objects.order_by("notice__number", "user__username")
    return list(rows.values_list("user__username", "notice__kind", "state"))


def awaited(league: League) -> None:
    """Close March, then correct its first game a day later: a decision is due."""
    make_ladder(league)
    evening(league)
    with clock(utc("2024-04-02T10:00")):
        close(league, "2024-03")
    with clock(utc("2024-04-10T10:00")):
        correct_game(league.pk, 1, duel("ben", "anna", "2024-03-05T19:30"), reason="Swapped.", username="olga")
