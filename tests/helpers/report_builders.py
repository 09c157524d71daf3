"""A league in which players report games by links, and what they enter."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from django.utils import timezone

from league.apps.reports.models import Report, ReportLink
from league.apps.reports.services.entering import SimilarReport, enter_report
from league.apps.reports.services.links import make_link, revoke_link
from league.core.errors import RungsError
from league.core.games.services.game_input import NewGame
from league.core.leagues.services.leagues import change_league
from league.core.players.services.players import set_active
from league.models import League
from tests.helpers.builders import make_league, player_of, record, sheet

KEYS = count()
#: The secret of a table's link.
TABLE = "the-secret-of-the-table"


def reporting_club(players: Sequence[str] = ("anna", "ben", "cleo", "dan"), **settings: Any) -> League:
    """Return a league of people who have all played once, in which they report by links; the table has one, too."""
    league = make_league(players=players, **{"reporting": "by_link", **settings})
    for first, second in zip(players[::2], players[1::2], strict=True):
        record(league, sheet((first, second), (1, 0)))
    make_link(league.pk, TABLE, username="olga", name="Table 1")
    return league


def built_club(**settings: Any) -> League:
    """Return the league of ``reporting_club`` that a fixture built for the module, with other settings if any."""
    league = League.objects.get(slug="club")
    return change_league(league.pk, settings, username="olga") if settings else league


def link_of(league: League, handle: str) -> str:
    """Make a player's link; returns its secret."""
    secret = f"the-secret-of-{handle}-{next(KEYS)}"
    make_link(league.pk, secret, username="olga", player=player_of(handle))
    return secret


def played(
    players: Sequence[str] = ("anna", "ben"), scores: Sequence[float] = (1, 0), *, hours: float = 1, **more: Any
) -> NewGame:
    """Return a game that was played some hours ago."""
    return sheet(players, scores, played_at=timezone.now() - timedelta(hours=hours), **more)


def reported(secret: str, new: NewGame | None = None, *, who: str = "") -> Report:
    """Enter a sheet by a link; asked whether it is the same as another one, say that it is not."""
    sheet_, key = new or played(), f"key-{next(KEYS)}"
    try:
        return enter_report(secret, sheet_, key=key, handle=who).report
    except SimilarReport as question:
        return enter_report(secret, sheet_, key=key, handle=who, confirmed_other=str(question.found.pk)).report


#: How a link ends -> what ends it, and what those are told who do something by it.
ENDS: dict[str, tuple[Callable[[League, ReportLink], object], str]] = {
    "revoked": (lambda league, link: revoke_link(league.pk, link.pk, username="olga"), "no longer valid"),
    "expired": (lambda league, link: ReportLink.objects.filter(pk=link.pk).update(expires_at=link.made_at), "expired"),
    "off": (
        lambda league, link: change_league(league.pk, {"reporting": "off"}),
        "Players cannot report games",
    ),
    "inactive": (
        lambda league, link: set_active(league.pk, player_of("anna"), False, username="olga"),
        "is suspended",
    ),
}


def all_refuse(error: type[RungsError], match: str, *works: Callable[[], object]) -> None:
    """Demand that each piece of work is refused with the same words."""
    for work in works:
        with pytest.raises(error, match=match):
            work()


TABLE_PAGE = f"/report/{TABLE}/"


def report_fields(
    players: tuple[str, ...] = ("anna", "ben"), scores: tuple[Any, ...] = (1, 0), **more: Any
) -> dict[str, Any]:
    """Return a sheet as a browser sends it."""
    seats = {f"seats-{row}-player": name for row, name in enumerate(players)}
    seats |= {f"seats-{row}-score": str(score) for row, score in enumerate(scores)}
    return {"seats-TOTAL_FORMS": len(players), "seats-INITIAL_FORMS": 0, **seats, "once": "a" * 32, **more}
