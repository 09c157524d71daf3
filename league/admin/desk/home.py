"""The first page of a league's desk."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from league.admin.desk.frame import at_desk, show
from league.admin.desk.log_words import line_of
from league.desk.viewer import viewer_of
from league.models import League
from league.selectors.desk import closing_soon, done_lately, evening_at, evening_before, jobs_under_way, newest_game
from league.selectors.ladders.standings import awaiting
from league.selectors.permissions import members_of
from league.selectors.rules import decimals_of, rules_of
from league.selectors.status import verification_of


@at_desk("record")
def home(request: HttpRequest, league: League) -> HttpResponse:
    """Show the evening, what is due, and what was done lately."""
    now = timezone.now()
    evening = evening_at(league, now)
    organises = viewer_of(request).may("organise", league)
    return show(
        request,
        league,
        "desk/home.html",
        "home",
        evening=evening,
        before=None if evening.games else evening_before(league, evening),
        newest=newest_game(league),
        now=now,
        organises=organises,
        closing=closing_soon(league, now),
        awaiting=awaiting(league),
        members=members_of(league) if organises else [],
        lately=[line_of(entry) for entry in done_lately(league)],
        jobs=jobs_under_way(league),
        verified=verification_of(league),
        decimals=decimals_of(league) if rules_of(league) else 0,
    )
