"""The organiser's overview of a league."""

from dataclasses import replace
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from league.core.accounts.selectors.invitations import format_time_left, open_invitations
from league.core.capabilities import load_declared
from league.core.games.services.attaching import describe_fixed_games
from league.core.ladders.selectors.ladders import load_periods_awaiting_decision
from league.core.permissions import find_members
from league.core.rules.selectors.rules import load_decimals, load_rules
from league.models import League
from league.web.organiser.log_sentences import build_log_rows, merge_rows
from league.web.organiser.selectors import (
    Evening,
    count_games_by_evening,
    count_players,
    find_evening_before,
    find_newest_game,
    find_recent_entries,
    load_closing_periods,
    load_evening_at,
    open_jobs,
)
from league.web.organiser.site import organiser_page, show
from league.web.public.charts.evening_bars import build_evening_bars
from league.web.public.selectors.front import count_games
from league.web.public.selectors.status import find_last_verification
from league.web.sign_in.sessions import viewer_of

#: Maximum number of invitations shown next to the members; their own page lists all.
MAX_INVITATIONS = 5
#: Maximum number of games of an evening that are shown.
MAX_GAMES = 8


def _shorten(evening: Evening) -> Evening:
    """Return an evening with its last games only; the page of games lists all."""
    return replace(evening, games=evening.games[:MAX_GAMES])


@organiser_page("record")
def home(request: HttpRequest, league: League) -> HttpResponse:
    """Show the evening, due decisions and recent actions."""
    now = timezone.now()
    evening = load_evening_at(league, now)
    organises = viewer_of(request).may("organise", league)
    table = [line.result for line in evening.games[0].results] if evening.games else []
    earlier = None if evening.games else find_evening_before(league, evening)
    shown = _shorten(earlier or evening)
    pending_periods, closing = load_periods_awaiting_decision(league), load_closing_periods(league, now)
    panels = [build(league, viewer_of(request)) for build in load_declared(lambda app: app.pages.home_panel)]
    return show(
        request,
        league,
        "web/organiser/home.html",
        "home",
        evening=evening if earlier else shown,
        before=shown if earlier else None,
        fixed=describe_fixed_games(league, [view.game for view in shown.games]),
        bars=build_evening_bars(count_games_by_evening(league)),
        newest=find_newest_game(league),
        now=now,
        organises=organises,
        closing=closing,
        awaiting=pending_periods,
        due=len(pending_periods) + len(closing) + sum(panel.due for panel in panels),
        panels=panels,
        panels_due=[panel.due_html for panel in panels if panel.due],
        people=count_players(league),
        games=count_games([league])[league.pk],
        table=table,
        # The query for a score pad with the players of the last game.
        seated=urlencode({"players": ",".join(line.player.handle for line in table), "keep": "same"}) if table else "",
        members=find_members(league) if organises else [],
        invited=[
            (invitation, format_time_left(invitation, now))
            for invitation in open_invitations(league, now)[:MAX_INVITATIONS]
        ]
        if organises
        else [],
        lately=merge_rows(build_log_rows(league, find_recent_entries(league), viewer=viewer_of(request), named=True)),
        jobs=open_jobs(league),
        verified=find_last_verification(league),
        decimals=load_decimals(league) if load_rules(league) else 0,
    )
