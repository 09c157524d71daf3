"""The organiser's overview of a league."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from league.core.accounts.selectors.invitations import open_invitations, time_left
from league.core.capabilities import load_declared
from league.core.ladders.selectors.ladders import periods_awaiting
from league.core.leagues.selectors.rules import decimals_of, rules_of
from league.core.permissions import members_of
from league.models import League
from league.web.organiser.log_sentences import build_log_rows
from league.web.organiser.selectors import (
    closing_soon,
    count_players,
    evening_at,
    evening_before,
    newest_game,
    open_jobs,
    recent_entries,
)
from league.web.organiser.site import at_desk, show
from league.web.public.selectors.front import games_in
from league.web.public.selectors.status import verification_of
from league.web.sign_in.sessions import viewer_of

#: Maximum number of invitations shown next to the members; their own page lists all.
MAX_INVITATIONS = 5


@at_desk("record")
def home(request: HttpRequest, league: League) -> HttpResponse:
    """Show the evening, due decisions and recent actions."""
    now = timezone.now()
    evening = evening_at(league, now)
    organises = viewer_of(request).may("organise", league)
    table = [line.result for line in evening.games[0].results] if evening.games else []
    waiting, closing = periods_awaiting(league), closing_soon(league, now)
    panels = [build(league) for build in load_declared("home_panels")]
    return show(
        request,
        league,
        "web/organiser/home.html",
        "home",
        evening=evening,
        before=None if evening.games else evening_before(league, evening),
        newest=newest_game(league),
        now=now,
        organises=organises,
        closing=closing,
        awaiting=waiting,
        due=len(waiting) + len(closing) + sum(panel.due for panel in panels),
        panels=panels,
        panels_due=[panel.due_html for panel in panels if panel.due],
        people=count_players(league),
        games=games_in([league])[league.pk],
        table=table,
        # The query for a score pad with the players of the last game.
        seated=urlencode({"players": ",".join(line.player.handle for line in table), "keep": "same"}) if table else "",
        members=members_of(league) if organises else [],
        invited=[
            (invitation, time_left(invitation, now)) for invitation in open_invitations(league, now)[:MAX_INVITATIONS]
        ]
        if organises
        else [],
        lately=build_log_rows(league, recent_entries(league), named=True),
        jobs=open_jobs(league),
        verified=verification_of(league),
        decimals=decimals_of(league) if rules_of(league) else 0,
    )
