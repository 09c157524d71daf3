"""Withdrawals of entries, and entries that come back or move up from the waiting list."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Max
from django.utils.translation import gettext as _

from league.apps.competitions.models import MAX_ROUNDS, Competition, Entry, EntryPlayer
from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition, load_competition
from league.apps.competitions.selectors.competitions import FORMATS_WITH_BYES
from league.apps.competitions.services.entry_checks import has_started, refuse_late_entries
from league.apps.competitions.services.seeding import rate_entries
from league.apps.competitions.services.waiting_list import count_free_places
from league.core.errors import Invalid, Problem, Refused
from league.core.players.services.merges import lock_players

Status = Entry.Status


def find_last_round(competition: Competition) -> int:
    """Return the number of the last round that was made, 0 if there is none."""
    return competition.round_rows.aggregate(last=Max("number"))["last"] or 0


def change_status(competition: Competition, entry: Entry, now: datetime, changes: Mapping[str, Any]) -> list[int]:
    """Set the status of an entry, and after which round it withdraws. Raises Invalid or Refused.

    Returns the numbers of the fixtures that the entry loses by forfeit.
    """
    status, after_round = changes.get("status", entry.status), changes.get("withdrawn_after", entry.withdrawn_after)
    if status not in Status.values:
        template = _("A status is one of: {statuses}.")
        raise Invalid.of([Problem("/status", "invalid", template.format(statuses=", ".join(Status.values)))])
    if status == entry.status and after_round == entry.withdrawn_after:
        return []
    if status == Status.WAITING:
        message = _("An entry gets on the waiting list only when it is added to a full competition.")
        raise Refused.of([Problem("/status", "waiting", message)])
    if status == Status.ENTERED and entry.status != Status.ENTERED:
        _enter_again(competition, entry, now)
    elif has_started(competition):
        return _withdraw(competition, entry, now, after_round)
    elif status == Status.WITHDRAWN:
        entry.status, entry.withdrawn_after = Status.WITHDRAWN, None
    else:
        message = _("The competition has not been started: withdraw the entry at once.")
        raise Refused.of([Problem("/withdrawn_after", "not_started", message)])
    return []


def _enter_again(competition: Competition, entry: Entry, now: datetime) -> None:
    """Let an entry in from the waiting list, or after it withdrew."""
    refuse_late_entries(competition, find_last_round(competition))
    if count_free_places(competition) == 0:
        message = _("The competition is full; raise its limit first.")
        raise Refused.of([Problem("/status", "no_place", message)])
    _refuse_second_entry(competition, entry)
    if entry.status == Status.WAITING and has_started(competition):
        # Rounds that are made knew nothing of it.
        entry.entered_at = now
    entry.expelled = False
    entry.status, entry.withdrawn_after = Status.ENTERED, None
    if has_started(competition):
        rate_entries(competition.league, [entry])


def _refuse_second_entry(competition: Competition, entry: Entry) -> None:
    """Raise Refused if a player of an entry, merged meanwhile, plays in another one."""
    own = lock_players(*{line.player for line in entry.players.all()})
    survivors = {player.merged_into or player for player in own}
    lines = EntryPlayer.objects.filter(league=competition.league_id, competition=competition)
    others = lines.exclude(entry=entry).exclude(entry__status=Status.WITHDRAWN)
    for line in others.select_related("entry", "player__merged_into"):
        if line.survivor in survivors:
            template = _("{name} is in two entries: {first} and {second}.")
            detail = template.format(
                name=line.survivor.name, first=line.entry.pairing_number, second=entry.pairing_number
            )
            raise Refused.of([Problem("/status", "entered_twice", detail)])


def _withdraw(competition: Competition, entry: Entry, now: datetime, after_round: int | None) -> list[int]:
    """Withdraw an entry of a running competition after a round; a future round leaves it entered until then."""
    if entry.status == Status.WAITING:
        entry.status = Status.WITHDRAWN
        return []
    limit = competition.rounds or MAX_ROUNDS
    if after_round is not None and not 0 <= after_round <= limit:
        template = _("There is no round {round}; the last one is {limit}.")
        detail = template.format(round=after_round, limit=limit)
        raise Invalid.of([Problem("/withdrawn_after", "out_of_bounds", detail)])
    loaded = load_competition(competition, now)
    fixtures = [fixture for fixture in loaded.fixtures if entry.number in fixture.entries]
    _refuse_unpublished(loaded, fixtures)
    last_round = max(loaded.rounds, default=0)
    if after_round is None:
        played = max((fixture.round or 0 for fixture in fixtures if fixture.status != "planned"), default=0)
        after_round = last_round if competition.format in FORMATS_WITH_BYES else played
        entry.status = Status.WITHDRAWN
    else:
        entry.status = Status.ENTERED if after_round > last_round else Status.WITHDRAWN
    entry.withdrawn_after = after_round
    later = [fixture for fixture in fixtures if fixture.round is None or fixture.round > after_round]
    return [fixture.number for fixture in later if fixture.status == "planned"]


def _refuse_unpublished(loaded: LoadedCompetition, fixtures: Sequence[FixtureState]) -> None:
    """Raise Refused if an entry with these fixtures is paired in a round that is not published."""
    for fixture in fixtures:
        if fixture.round is not None and loaded.rounds[fixture.round].published_at is None:
            template = _("Round {number} is not published; publish it or undo it first.")
            raise Refused.of([Problem("/status", "unpublished", template.format(number=fixture.round))])
