"""Exchanges the pairing numbers of two entries, until they are fixed."""

from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext as _

from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import Competition, Entry
from league.apps.competitions.records import ENTRY_LOG
from league.apps.competitions.selectors.competition_data import build_entry_name
from league.apps.competitions.selectors.competitions import check_running, find_competition, takes_part
from league.apps.competitions.services.entry_checks import find_entry
from league.apps.competitions.services.entry_status import find_last_round
from league.apps.competitions.services.log_rows import append_change
from league.apps.competitions.services.regulations import CONFIRMED, Confirmed, RuleWarning, refuse_unconfirmed
from league.apps.competitions.services.seeding import (
    FIXING_ROUND,
    exchange_pairing_numbers,
    have_fixed_numbers,
    load_players,
)
from league.core.errors import Invalid, Problem, Refused
from league.core.locking import locked
from league.core.reasons import require_reason
from league.models import League


@locked
def exchange_numbers(
    league: League, now: datetime, slug: str, numbers: Sequence[int], *, by: str, reason: str, confirmed: Confirmed = ()
) -> list[Entry]:
    """Exchange the pairing numbers of two entries of a Swiss system; ratings and rounds that are made stay.

    ``numbers``: of the entries. Exchanging them again takes it back. Raises NotFound, Conflict unless it is running,
    Invalid, Refused once the numbers are fixed, and ConfirmationNeeded.
    """
    competition = find_competition(league, slug, for_organisers=True)
    reason = require_reason(reason, _("Give a reason; the changes by hand show it."))
    check_running(competition)
    if len(set(numbers)) != 2:
        raise Invalid.of([Problem("/entries", "invalid", _("Two entries exchange their numbers."))])
    if refusal := describe_fixed_numbers(competition, find_last_round(competition)):
        raise Refused.of([Problem("/entries", "numbers_fixed", refusal)])
    first, second = entries = [find_entry(competition, number) for number in numbers]
    load_players(entries)
    for at, entry in enumerate(entries):
        if not takes_part(entry):
            sentence = _("{name} is on the waiting list and has no number yet.").format(name=build_entry_name(entry))
            raise Refused.of([Problem(f"/entries/{at}", "waiting", sentence)])
    refuse_unconfirmed(competition, [_build_warning(first, second)], confirmed)
    exchange_pairing_numbers(first, second)
    rows = ENTRY_LOG.build_payloads(entries, competition=competition.slug)
    append_change(league, now, by, ChangeKind.ENTRY_CHANGED, competition, changed_entries=rows, reason=reason)
    return entries


def describe_fixed_numbers(competition: Competition, last_round: int) -> str:
    """Return why the numbers of a competition are fixed, "" if they are not; ``last_round``: the last that was made."""
    if competition.format != "swiss":
        return _("Numbers are exchanged in a Swiss system only.")
    if have_fixed_numbers(last_round):
        return _("The numbers are fixed: round {round} is paired.").format(round=FIXING_ROUND)
    return ""


def _build_warning(first: Entry, second: Entry) -> RuleWarning:
    template = _(
        "{first} (No. {one}) and {second} (No. {other}) exchange their numbers. The tournament report names it."
    )
    sentence = template.format(
        first=build_entry_name(first),
        one=first.pairing_number,
        second=build_entry_name(second),
        other=second.pairing_number,
    )
    consequences: tuple[str, ...] = ()
    if first.rating != second.rating:
        consequences = (
            _("Their ratings differ. Numbers follow from ratings, so exchange them only to correct a mistake."),
        )
    return RuleWarning("exchanges_numbers", CONFIRMED, sentence, "/entries", consequences)
