"""Withdrawals of entries, and entries that come back or move up from the waiting list."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import Max
from django.utils.translation import gettext as _

from league.apps.competitions.models import MAX_ROUNDS, Competition, Entry, Round
from league.apps.competitions.selectors.competition_data import FixtureState, load_competition
from league.apps.competitions.services.entry_checks import FORMATS_WITH_BYES, has_started, refuse_late_entries
from league.apps.competitions.services.seeding import rate_entries
from league.apps.competitions.services.waiting_list import count_free_places
from league.core.errors import Invalid, Problem, Refused

Status = Entry.Status


def find_last_round(competition: Competition) -> int:
    """Return the number of the last round that was made, 0 if there is none."""
    rounds = Round.objects.filter(league=competition.league_id, competition=competition)
    return rounds.aggregate(last=Max("number"))["last"] or 0


def change_status(competition: Competition, entry: Entry, now: datetime, changes: Mapping[str, Any]) -> None:
    """Set the status of an entry, and after which round it withdraws. Raises Invalid or Refused."""
    status, after_round = changes.get("status", entry.status), changes.get("withdrawn_after", entry.withdrawn_after)
    if status not in Status.values:
        template = _("A status is one of: {statuses}.")
        raise Invalid.of([Problem("/status", "invalid", template.format(statuses=", ".join(Status.values)))])
    if status == entry.status and after_round == entry.withdrawn_after:
        return
    if status == Status.WAITING:
        message = _("An entry gets on the waiting list only when it is added to a full competition.")
        raise Refused.of([Problem("/status", "waiting", message)])
    if status == Status.ENTERED and entry.status != Status.ENTERED:
        _enter_again(competition, entry)
    elif has_started(competition):
        _withdraw(competition, entry, now, after_round)
    elif status == Status.WITHDRAWN:
        entry.status, entry.withdrawn_after = Status.WITHDRAWN, None
    else:
        message = _("The competition has not been started: withdraw the entry at once.")
        raise Refused.of([Problem("/withdrawn_after", "not_started", message)])


def _enter_again(competition: Competition, entry: Entry) -> None:
    """Let an entry in from the waiting list, or after it withdrew."""
    refuse_late_entries(competition, find_last_round(competition))
    if count_free_places(competition) == 0:
        message = _("The competition is full; raise its limit first.")
        raise Refused.of([Problem("/status", "full", message)])
    entry.status, entry.withdrawn_after = Status.ENTERED, None
    if has_started(competition):
        rate_entries(competition.league, [entry])


def _withdraw(competition: Competition, entry: Entry, now: datetime, after_round: int | None) -> None:
    """Withdraw an entry of a running competition after a round; a future round leaves it entered until then."""
    if entry.status == Status.WAITING:
        entry.status = Status.WITHDRAWN
        return
    last_round = find_last_round(competition)
    limit = competition.rounds or MAX_ROUNDS
    if after_round is not None and not 0 <= after_round <= limit:
        template = _("There is no round {round}; the last one is {limit}.")
        detail = template.format(round=after_round, limit=limit)
        raise Invalid.of([Problem("/withdrawn_after", "out_of_bounds", detail)])
    fixtures = list_fixtures_of(competition, entry, now)
    if competition.format in FORMATS_WITH_BYES:
        entry.withdrawn_after = last_round if after_round is None else after_round
    elif after_round is None:
        entry.withdrawn_after = max(
            (fixture.round or 0 for fixture in fixtures if fixture.status != "planned"), default=0
        )
    else:
        entry.withdrawn_after = after_round
    later = entry.withdrawn_after > last_round and after_round is not None
    entry.status = Status.ENTERED if later else Status.WITHDRAWN


def list_fixtures_of(competition: Competition, entry: Entry, now: datetime) -> list[FixtureState]:
    """Return the fixtures of an entry."""
    loaded = load_competition(competition, now)
    return [fixture for fixture in loaded.fixtures if entry.number in fixture.entries]
