"""Competitions that wait for the organiser: a deadline passed, or a correction changed the final standings."""

from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.utils import timezone

from league.apps.competitions.models import Competition, FinalStandings, Fixture
from league.apps.competitions.selectors.final_standings import standings_differ
from league.models import Game

#: Results of ``_differs`` in the memory of a process.
MAX_COMPARED = 256


def list_competitions_to_decide(league: Any) -> QuerySet[Competition]:
    """Return the competitions of a league (or an OuterRef) that wait for the organiser."""
    known = None if isinstance(league, OuterRef) else league
    changed = _list_changed(known)
    if known is not None and not changed and not known.attaches_games:
        return Competition.objects.none()
    waiting = Fixture.objects.filter(league=OuterRef("league"), competition=OuterRef("pk")).playable().without_result()
    overdue = waiting.filter(deadline__lte=timezone.now())
    asking = Competition.objects.filter(
        Exists(overdue), status=Competition.Status.RUNNING, deadline_action=Competition.DeadlineAction.ASK
    )
    return Competition.objects.filter(Q(pk__in=asking.values("pk")) | Q(pk__in=changed), league=league).order_by("pk")


def _list_changed(league: Any) -> list[int]:
    """Return the finished competitions whose standings are other than in the last edition."""
    later = Game.objects.filter(league=OuterRef("league"), fixtures__competition=OuterRef("competition"))
    editions = FinalStandings.objects.filter(competition__status=Competition.Status.FINISHED)
    if league is not None:
        editions = editions.filter(league=league)
    newer = FinalStandings.objects.filter(
        league=OuterRef("league"), competition=OuterRef("competition"), number__gt=OuterRef("number")
    )
    last = editions.filter(~Exists(newer))
    # Every correction voids the game that was recorded, or one that replaced it.
    voided = last.filter(Exists(later.filter(voided_at__isnull=False)))
    return [
        edition.competition_id
        for edition in voided.order_by("pk").defer("document")
        if (newest := _find_newest_change(edition)) is not None
        and newest > edition.published_at
        and _differs(edition.competition_id, edition.number, newest)
    ]


def _find_newest_change(edition: FinalStandings) -> datetime | None:
    """Return when a game in the place of one of the fixtures' games was last recorded or voided."""
    keys = Fixture.objects.filter(league=edition.league_id, competition=edition.competition_id, game__isnull=False)
    games = Game.objects.filter(league=edition.league_id, order_key__in=keys.values("game__order_key"))
    times = games.aggregate(recorded=Max("recorded_at"), voided=Max("voided_at"))
    return max((time for time in times.values() if time is not None), default=None)


@lru_cache(maxsize=MAX_COMPARED)
def _differs(competition_id: int, edition: int, newest: datetime) -> bool:
    """Return whether the standings differ from an edition; computed once after each change."""
    return standings_differ(Competition.objects.select_related("league").get(pk=competition_id))
